// Keeps the page as it is on the server, and does without being noticed what a reload would do.
const { live, partly, changed, reload } = document.body.dataset;
const status = document.getElementById('live');
const main = document.querySelector('main');

/** What there is to see of the content; a form that is carried out once has another name on each page. */
const contentOf = ({ innerHTML }) =>
  innerHTML.replaceAll(/<input type="hidden" name="(?:form|id)"[^>]*>/g, '');

/** The content as the server made it; other scripts write into it. */
let shown = contentOf(main);

/** Whether the reader is in the middle of something that must not be replaced. */
function isBusy() {
  const { activeElement: active } = document;
  const isTyping = active?.matches('main input, main textarea, main select');
  const isOpen = document.querySelector('main details[open]:not([data-open])') !== null;
  const isSelecting = !getSelection().isCollapsed;
  const isTouched = document.querySelector('form[data-touched]') !== null;
  return isTyping || isOpen || isSelecting || isTouched || status.contains(active);
}

function offerReload() {
  if (status.firstElementChild !== null) return;
  const button = document.createElement('button');
  button.textContent = reload;
  button.addEventListener('click', () => location.reload());
  status.replaceChildren(`${changed} `, button);
}

const quietMilliseconds = 60_000;
let saidAt = Number.NEGATIVE_INFINITY;

/** A screen reader reads it out each time that it is written, so many changes in a row are said once. */
function sayChanged() {
  const isSaid = performance.now() - saidAt < quietMilliseconds;
  if (isSaid && status.firstElementChild === null) return;
  saidAt = performance.now();
  status.textContent = changed;
}

/** The element of the new content that says the same. Lists grow on top, so those alike are counted from the end. */
function counterpartOf(element, next) {
  const alike = (root) =>
    [...root.querySelectorAll(element.localName)].filter((each) => each.isEqualNode(element));
  const old = alike(main);
  return alike(next).at(old.indexOf(element) - old.length) ?? null;
}

const topOf = (element) => element.getBoundingClientRect().top;

/** What the reader looks at, as it is now and as it will be; null at the top, where what is new must be seen. */
function findAnchor(next) {
  if (scrollY === 0) return null;
  for (const element of main.querySelectorAll('li, tr, h2, h3, a')) {
    if (topOf(element) < 0) continue;
    if (topOf(element) > innerHeight) return null;
    const counterpart = counterpartOf(element, next);
    if (counterpart !== null) return { counterpart, top: topOf(element) };
  }
  return null;
}

/** Puts the new content into its place; focus and scrolling stay where they are. */
function replaceMain(next, focused) {
  const anchor = findAnchor(next);
  const offsets = Array.from(main.querySelectorAll('.scroll'), ({ scrollLeft }) => scrollLeft);
  main.replaceChildren(...next.childNodes);
  for (const [index, region] of main.querySelectorAll('.scroll').entries()) {
    region.scrollLeft = offsets[index] ?? 0;
  }
  focused?.focus({ preventScroll: true });
  if (anchor !== null)
    scrollBy({ top: topOf(anchor.counterpart) - anchor.top, behavior: 'instant' });
}

/** Leads to where one signs in; whoever signs out here is on the way there. */
function leaveEnded() {
  if (document.querySelector('form[action="/desk/sign-out"][data-sent]') === null)
    location.reload();
}

/** The page as it is now; null: it has led elsewhere. */
async function askFor(url) {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  if (response.redirected) {
    leaveEnded();
    return null;
  }
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return { response, page, next: page.querySelector('main') };
}

/** What says how the access to a company stands, by the company. */
const partsOf = (root) =>
  new Map([...root.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]));

/** Of a page whose figures are read by whoever opens it, brings up to date what stands beside them. */
async function refreshParts() {
  const url = new URL(location.href);
  url.searchParams.set('part', '');
  const asked = await askFor(url);
  if (asked === null) return;
  const { response, next } = asked;
  if (!response.ok || next === null) return offerReload();
  document.dispatchEvent(new CustomEvent('desk:incoming', { detail: next }));
  const [shownParts, nextParts] = [partsOf(main), partsOf(next)];
  const changes = [...shownParts].filter(([name, part]) => !nextParts.get(name)?.isEqualNode(part));
  if (changes.length === 0 && shownParts.size === nextParts.size) return;
  for (const [name, part] of changes) {
    const nextPart = nextParts.get(name);
    const figures = part.closest('tr').querySelectorAll('.number');
    if (nextPart?.dataset.shares === undefined) for (const each of figures) each.textContent = '–';
    part.replaceWith(nextPart ?? '–');
  }
  offerReload();
}

async function refresh() {
  if (partly !== undefined) return refreshParts();
  if (isBusy()) return offerReload();
  const asked = await askFor(location.href);
  if (asked === null) return;
  const { response, page, next } = asked;
  // A page that says what went wrong would take away what can still be read.
  if (!response.ok || next === null || isBusy()) return offerReload();
  const content = contentOf(next);
  if (content === shown) return;
  document.dispatchEvent(new CustomEvent('desk:incoming', { detail: next }));
  const { activeElement: active } = document;
  const hasFocus = active !== main && main.contains(active);
  const focused = hasFocus ? counterpartOf(active, next) : null;
  if (hasFocus && focused === null) return offerReload();
  shown = content;
  replaceMain(next, focused);
  document.title = page.title;
  sayChanged();
  document.dispatchEvent(new Event('desk:refreshed'));
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest?.('main form');
  if (form) form.dataset.touched = '';
});

// A second click on the button of a form sends nothing: the first is on its way.
document.addEventListener('submit', (event) => {
  const { target: form } = event;
  if (form.dataset.sent !== undefined) event.preventDefault();
  form.dataset.sent = '';
});
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
});

const retryMilliseconds = 30_000;
const pauseMilliseconds = 1_000;
let events = null;
let waiting = 0;
let refreshedAt = Number.NEGATIVE_INFINITY;

/** To show figures is a read each time, so however much changes, a page asks once a second at most. */
function refreshSoon() {
  clearTimeout(waiting);
  const milliseconds = Math.max(150, refreshedAt + pauseMilliseconds - performance.now());
  waiting = setTimeout(() => {
    refreshedAt = performance.now();
    void refresh().catch(offerReload);
  }, milliseconds);
}

/**
 * Shows the page anew after each change. A stream that begins again tells by itself what came after the page. A page that
 * nobody sees has none: a browser opens six connections to a host, and the seventh tab would wait for ever.
 */
function listen() {
  if (live === undefined || events !== null || document.hidden) return;
  events = new EventSource(live);
  events.addEventListener('change', refreshSoon);
  events.addEventListener('ended', leaveEnded);
  events.addEventListener('error', ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return;
    stop();
    setTimeout(listen, retryMilliseconds);
  });
}

function stop() {
  events?.close();
  events = null;
}

document.addEventListener('visibilitychange', () => (document.hidden ? stop() : listen()));
addEventListener('pagehide', stop);
addEventListener('pageshow', listen);
listen();

// The menu goes where one clicks elsewhere, or presses Escape.
const menu = document.querySelector('.menu');
document.addEventListener('click', ({ target }) => {
  if (!menu.contains(target)) menu.open = false;
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !menu.open) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
