// Updates the preview of what the investor would see after each change of the form that limits the access.
const milliseconds = 300;
let waiting = 0;
let loading = new AbortController();

async function update(form) {
  loading.abort();
  loading = new AbortController();
  const response = await fetch(form.dataset.preview, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
    signal: loading.signal,
  });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [old, next] = [document, page].map((each) => each.querySelector('#preview'));
  if (old === null || next === null) return;
  document.dispatchEvent(new CustomEvent('desk:incoming', { detail: next }));
  const open = Array.from(old.querySelectorAll('details'), (each) => each.open);
  for (const [index, each] of next.querySelectorAll('details').entries())
    each.open = open[index] ?? each.open;
  old.replaceWith(next);
}

document.addEventListener('change', ({ target: { form } }) => {
  if (form?.dataset.preview === undefined) return;
  clearTimeout(waiting);
  // Without an answer, for example after a second change, the preview stays as it is.
  waiting = setTimeout(() => void update(form).catch(() => undefined), milliseconds);
});
