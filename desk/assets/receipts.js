// Checks receipts with the published verifier. No data leaves the browser.
const byId = (id) => document.getElementById(id);

const find = (selector) => byId('words').content.querySelector(selector);
const word = (name) => find(`[data-word~="${name}"]`)?.textContent ?? name;

function say(place, kind, verdict, ...more) {
  const content = find(`[data-verdict="${verdict}"]`).cloneNode(true);
  content.className = `notice ${kind}`;
  content.append(...more);
  place.replaceChildren(content);
}

function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

async function verify({ receipts, head }) {
  const [{ verifyReceipts }, response] = await Promise.all([
    import(byId('verdict').dataset.verifier),
    fetch('/.well-known/jwks.json', { cache: 'no-cache' }),
  ]);
  if (!response.ok) throw new Error(`the keys: ${response.status}`);
  return verifyReceipts(receipts, { jwks: await response.json(), head });
}

/** Runs the verifier. If it can't run, shows a message and returns null. */
async function verdictOf(list, place) {
  say(place, '', 'checking');
  try {
    return await verify(list);
  } catch {
    say(place, '', 'failed');
    return null;
  }
}

function sayWrong(place, { reason, index }) {
  const where = index === undefined ? '' : `${word('place')} ${index + 1}: `;
  say(place, 'bad', 'invalid', paragraph(`${where}${word(reason)}`));
}

function mark(item, reason) {
  const [badge, why] = [item.querySelector('[data-mark]'), item.querySelector('[data-why]')];
  badge.classList.add(reason === null ? 'good' : 'bad');
  badge.textContent = word(reason === null ? 'mark' : 'bad-mark');
  badge.hidden = false;
  why.textContent = reason === null ? '' : word(reason);
  why.hidden = reason === null;
}

/** Checks the receipts of the page, up to the first invalid one. */
async function checkPage() {
  byId('check').hidden = false;
  const place = byId('verdict');
  const items = [...document.querySelectorAll('[data-receipt]')];
  if (items.length === 0) return;
  const textOf = (item, selector) => item.querySelector(selector).textContent;
  const receipts = items.map((item) => ({
    id: textOf(item, '[data-id]'),
    jws: textOf(item, '[data-jws]'),
  }));
  const { status, head } = place.dataset;
  const result = await verdictOf({ receipts, head }, place);
  if (result === null) return;
  const isBehind = result.valid && status !== undefined && result.receipts.at(-1).status !== status;
  const failure = isBehind ? { reason: 'newest_missing' } : result;
  // A failure without an index concerns the end of the receipt chain. Each single receipt is valid.
  const index = (result.valid ? null : result.index) ?? items.length;
  for (const item of items.slice(0, index)) mark(item, null);
  if (index < items.length) mark(items[index], result.reason);
  if (failure.valid) say(place, 'good', 'valid', paragraph(completenessOf(result)));
  else sayWrong(place, failure);
}

/** Parses a saved list of receipts or a plain array. Returns an empty object for any other text. */
function listOf(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value)
      ? { receipts: value }
      : { receipts: value?.data, head: value?.head };
  } catch {
    return {};
  }
}

const page = document.documentElement.lang;
const locale = navigator.languages.find((each) => each.split('-')[0] === page) ?? page;

const timeOf = (instant, second) =>
  new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second,
    timeZoneName: 'short',
  }).format(new Date(instant));

const completenessOf = ({ complete: { state, asOf, later } }) =>
  word(state).replace('{time}', timeOf(asOf, '2-digit')).replace('{count}', later);

function factsOf(receipts) {
  const { access_request_id, data_subject, data_recipient, event_type, issued_at } =
    receipts.at(-1);
  const values = {
    request: access_request_id,
    company: data_subject.name,
    investor: data_recipient.name,
    last: `${word(event_type)}, ${timeOf(issued_at)}`,
  };
  const facts = find('[data-facts]').cloneNode(true);
  for (const [name, value] of Object.entries(values)) {
    facts.querySelector(`[data-fact="${name}"]`).textContent = value;
  }
  return facts;
}

async function checkFile() {
  const place = byId('file-verdict');
  const [file] = byId('file').files;
  const text = file === undefined ? byId('text').value : await file.text();
  if (text.trim() === '') return say(place, '', 'choose');
  const result = await verdictOf(listOf(text), place);
  if (result === null) return;
  if (result.valid)
    say(place, 'good', 'file', paragraph(completenessOf(result)), factsOf(result.receipts));
  else sayWrong(place, result);
}

// Listens on the document, because a refresh of the page replaces the form.
document.addEventListener('click', ({ target }) => {
  if (target.closest('#check button') !== null) void checkFile();
});
document.addEventListener('desk:refreshed', () => void checkPage());
void checkPage();
