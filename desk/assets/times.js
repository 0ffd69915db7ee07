// Writes each instant of the page in the time zone of its reader, in the way that the reader writes the page's language.
const page = document.documentElement.lang;
const locale = navigator.languages.find((each) => each.split('-')[0] === page) ?? page;
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const exactWithZone = new Intl.DateTimeFormat(locale, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
// A period is a day of the calendar, wherever one reads of it.
const period = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

function localize(root) {
  for (const time of root.querySelectorAll('time[data-time]')) {
    const instant = new Date(time.dateTime);
    if (time.dataset.time === 'period') {
      time.textContent = period.format(instant);
      continue;
    }
    // Whoever compares with what another reader sees, or with a receipt, finds the zone here.
    time.title = exactWithZone.format(instant);
    if (time.dataset.time === 'exact') time.textContent = exact.format(instant);
    if (time.dataset.time === 'day') time.textContent = day.format(instant);
  }
}

// What comes later is written before it is compared with what is there.
document.addEventListener('desk:incoming', ({ detail }) => localize(detail));
localize(document);

// Fields for the reader's time zone. A list that doesn't have it keeps what is chosen.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
for (const field of document.querySelectorAll('[data-zone]')) {
  const chosen = field.value;
  field.value = timeZone;
  if (field.value !== timeZone) field.value = chosen;
}
