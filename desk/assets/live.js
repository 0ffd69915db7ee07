// Updates the page when its data changes on the server. A full reload would disturb the user more.
const { live, partly, changed, reload } = document.body.dataset;
const status = document.getElementById('live');
const main = document.querySelector('main');

/** Removes the hidden IDs of forms before a comparison. Each response has new IDs, so they would look like a change. */
const contentOf = ({ innerHTML }) =>
  innerHTML.replaceAll(/<input type="hidden" name="(?:form|id)"[^>]*>/g, '');

/** A copy of the page content as the server sent it, for later comparisons. Other scripts change the page itself. */
let shown = contentOf(main);

/** A refresh would disturb a user who types in a form, selects text or has unfolded a section. */
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
let announcedAt = Number.NEGATIVE_INFINITY;

/** Shows one notice for several changes in a row, because a screen reader reads each notice aloud. */
function announceChange() {
  const wasAnnounced = performance.now() - announcedAt < quietMilliseconds;
  if (wasAnnounced && status.firstElementChild === null) return;
  announcedAt = performance.now();
  status.textContent = changed;
}

/**
 * Finds the same element in the new version of the page. If several elements are equal, counts them from the end,
 * because lists get new items at the top.
 */
function findCounterpart(element, next) {
  const findEqual = (root) =>
    [...root.querySelectorAll(element.localName)].filter((each) => each.isEqualNode(element));
  const old = findEqual(main);
  return findEqual(next).at(old.indexOf(element) - old.length) ?? null;
}

const topOf = (element) => element.getBoundingClientRect().top;

/**
 * Finds an element that keeps its place on the screen during a refresh. Returns null at the top of the page, because
 * new items must become visible there.
 */
function findAnchor(next) {
  if (scrollY === 0) return null;
  for (const element of main.querySelectorAll('li, tr, h2, h3, a')) {
    if (topOf(element) < 0) continue;
    if (topOf(element) > innerHeight) return null;
    const counterpart = findCounterpart(element, next);
    if (counterpart !== null) return { counterpart, top: topOf(element) };
  }
  return null;
}

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

/**
 * Reloads the page after the session was closed. The server then redirects to the sign-in page. After a click on "Sign
 * out", the browser loads the sign-in page anyway, so the reload is skipped.
 */
function reloadAfterSessionEnd() {
  if (document.querySelector('form[action="/desk/sign-out"][data-sent]') === null)
    location.reload();
}

/** Returns null if the server redirected the HTTP request. A redirect means that the session was closed. */
async function loadPage(url, options = {}) {
  const response = await fetch(url, { headers: { accept: 'text/html' }, ...options });
  if (response.redirected) {
    reloadAfterSessionEnd();
    return null;
  }
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return { response, page, next: page.querySelector('main') };
}

const partsOf = (root) =>
  new Map([...root.querySelectorAll('[data-part]')].map((part) => [part.dataset.part, part]));

/** Updates only the access state of each company, not its figures. Loading the figures again would count as a read. */
async function refreshParts() {
  const url = new URL(location.href);
  url.searchParams.set('part', '');
  const loaded = await loadPage(url);
  if (loaded === null) return;
  const { response, next } = loaded;
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
  const loaded = await loadPage(location.href);
  if (loaded === null) return;
  const { response, page, next } = loaded;
  // An error page must not replace content that the user can still use.
  if (!response.ok || next === null || isBusy()) return offerReload();
  const content = contentOf(next);
  if (content === shown) return;
  document.dispatchEvent(new CustomEvent('desk:incoming', { detail: next }));
  const { activeElement: active } = document;
  const hasFocus = active !== main && main.contains(active);
  const focused = hasFocus ? findCounterpart(active, next) : null;
  if (hasFocus && focused === null) return offerReload();
  shown = content;
  replaceMain(next, focused);
  document.title = page.title;
  announceChange();
  document.dispatchEvent(new Event('desk:refreshed'));
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest?.('main form');
  if (form) form.dataset.touched = '';
});

async function updatePreview(form, isNewest) {
  const body = new URLSearchParams(new FormData(form));
  const loaded = await loadPage(form.dataset.preview, { method: 'POST', body });
  const [old, next] = [main, loaded?.next].map((each) => each?.querySelector('#preview'));
  if (!old || !next || !isNewest()) return;
  document.dispatchEvent(new CustomEvent('desk:incoming', { detail: next }));
  const wasOpen = Array.from(old.querySelectorAll('details'), ({ open }) => open);
  for (const [index, details] of next.querySelectorAll('details').entries())
    details.open = wasOpen[index] ?? details.open;
  old.replaceWith(next);
}

let previewing = 0;
document.addEventListener('change', ({ target: { form } }) => {
  if (form?.dataset.preview === undefined) return;
  clearTimeout(previewing);
  const timer = setTimeout(() => {
    // After an error, the preview stays as it is.
    void updatePreview(form, () => timer === previewing).catch(() => undefined);
  }, 300);
  previewing = timer;
});

// Ignores a second click on the button of a form that is already being sent.
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

/** Waits at least one second between two refreshes, because each load of figures counts as a read. */
function refreshSoon() {
  clearTimeout(waiting);
  const milliseconds = Math.max(150, refreshedAt + pauseMilliseconds - performance.now());
  waiting = setTimeout(() => {
    refreshedAt = performance.now();
    void refresh().catch(offerReload);
  }, milliseconds);
}

/**
 * Opens the stream of changes. After a reconnect, the server also reports the changes since the page was loaded. A
 * hidden page closes its stream: browsers allow only six connections to a host, so a seventh tab would wait forever.
 */
function openStream() {
  if (live === undefined || events !== null || document.hidden) return;
  events = new EventSource(live);
  events.addEventListener('change', refreshSoon);
  events.addEventListener('ended', reloadAfterSessionEnd);
  events.addEventListener('error', ({ target }) => {
    if (target.readyState !== EventSource.CLOSED) return;
    closeStream();
    setTimeout(openStream, retryMilliseconds);
  });
}

function closeStream() {
  events?.close();
  events = null;
}

document.addEventListener('visibilitychange', () =>
  document.hidden ? closeStream() : openStream(),
);
addEventListener('pagehide', closeStream);
addEventListener('pageshow', openStream);
openStream();

// Closes the menu after a click outside the menu, or after Escape.
const menu = document.querySelector('.menu');
document.addEventListener('click', ({ target }) => {
  if (!menu.contains(target)) menu.open = false;
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !menu.open) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
