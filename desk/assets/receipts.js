// Checks receipts by the verifier that is published for everybody. What is checked leaves the browser nowhere.
const byId = (id) => document.getElementById(id);

const find = (selector) => byId('words').content.querySelector(selector);
const word = (name) => find(`[data-word~="${name}"]`)?.textContent ?? name;

/** Puts a verdict, and what more there is to it, into its place. */
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

async function verify(receipts) {
  const [{ verifyReceipts }, response] = await Promise.all([
    import(byId('verdict').dataset.verifier),
    fetch('/.well-known/jwks.json', { cache: 'no-cache' }),
  ]);
  if (!response.ok) throw new Error(`the keys: ${response.status}`);
  return verifyReceipts(receipts, { jwks: await response.json() });
}

/** What the verifier finds; where it cannot run, says so and returns null. */
async function verdictOf(receipts, place) {
  say(place, '', 'checking');
  try {
    return await verify(receipts);
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

/** Checks what stands in the page. What comes after the first failure is not looked at. */
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
  const result = await verdictOf(receipts, place);
  if (result === null) return;
  const { status } = place.dataset;
  const isBehind = result.valid && status !== undefined && result.receipts.at(-1).status !== status;
  const failure = isBehind ? { reason: 'newest_missing' } : result;
  const index = result.valid ? items.length : (result.index ?? 0);
  for (const item of items.slice(0, index)) mark(item, null);
  if (!result.valid) mark(items[index], result.reason);
  if (failure.valid) say(place, 'good', 'valid');
  else sayWrong(place, failure);
}

/** The items of a saved list, or of a bare array; null when it is neither. */
function listOf(text) {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : (value?.data ?? null);
  } catch {
    return null;
  }
}

function factsOf(receipts) {
  const { access_request_id, data_subject, data_recipient, event_type, issued_at } =
    receipts.at(-1);
  const time = new Intl.DateTimeFormat(document.documentElement.lang, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(issued_at));
  const values = {
    request: access_request_id,
    company: data_subject.name,
    investor: data_recipient.name,
    last: `${word(event_type)}, ${time} UTC`,
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
  if (result.valid) say(place, 'good', 'file', factsOf(result.receipts));
  else sayWrong(place, result);
}

// The form comes anew whenever the page does.
document.addEventListener('click', ({ target }) => {
  if (target.closest('#check button') !== null) void checkFile();
});
document.addEventListener('desk:refreshed', () => void checkPage());
void checkPage();
