// Shows each time in the user's time zone and regional format, in the language of the page.
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
// A period is a calendar date, which is the same in all time zones.
const period = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

function localize(root) {
  for (const time of root.querySelectorAll('time[data-time]')) {
    const instant = new Date(time.dateTime);
    if (time.dataset.time === 'period') {
      time.textContent = period.format(instant);
      continue;
    }
    // The tooltip names the time zone, so that users can compare the time with another page or a receipt.
    time.title = exactWithZone.format(instant);
    if (time.dataset.time === 'exact') time.textContent = exact.format(instant);
    if (time.dataset.time === 'day') time.textContent = day.format(instant);
  }
}

// Formats the times of new content before live.js compares this content with the page.
document.addEventListener('desk:incoming', ({ detail }) => localize(detail));
localize(document);

// Selects the user's time zone in forms. If a form doesn't offer that time zone, the form's selection stays unchanged.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
for (const field of document.querySelectorAll('[data-zone]')) {
  const chosen = field.value;
  field.value = timeZone;
  if (field.value !== timeZone) field.value = chosen;
}
