// Checks the signatures of figures with the published verifier. No data leaves the browser.
const words = (selector) => document.getElementById('words').content.querySelector(selector);

function say(place, kind, verdict) {
  const content = words(`[data-verdict="${verdict}"]`).cloneNode(true);
  content.className = `notice ${kind}`;
  place.replaceChildren(content);
}

function mark(template, isValid) {
  const badge = template.parentElement.querySelector('[data-mark]');
  badge.className = `badge ${isValid ? 'good' : 'bad'}`;
  badge.textContent = words(`[data-word="${isValid ? 'good' : 'bad'}"]`).textContent;
  badge.hidden = false;
}

async function verdictsOf(templates, verifier) {
  const [{ verifyMetric }, response] = await Promise.all([
    import(verifier),
    fetch('/.well-known/jwks.json', { cache: 'no-cache' }),
  ]);
  if (!response.ok) throw new Error(`the keys: ${response.status}`);
  const jwks = await response.json();
  return Promise.all(
    templates.map(({ content }) => verifyMetric(JSON.parse(content.textContent), { jwks })),
  );
}

async function check() {
  const place = document.getElementById('verdict');
  const templates = [...document.querySelectorAll('template[data-signed]')];
  if (place === null || templates.length === 0) return;
  say(place, '', 'checking');
  try {
    const verdicts = await verdictsOf(templates, place.dataset.verifier);
    for (const [index, { valid }] of verdicts.entries()) mark(templates[index], valid);
    const isValid = verdicts.every(({ valid }) => valid);
    say(place, isValid ? 'good' : 'bad', isValid ? 'valid' : 'invalid');
  } catch {
    say(place, '', 'failed');
  }
}

document.addEventListener('desk:refreshed', () => void check());
void check();
