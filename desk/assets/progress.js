// Shows that a form which takes its time is under way.
for (const form of document.querySelectorAll('form[data-progress]')) {
  const status = form.querySelector('.progress');
  form.addEventListener('submit', () => {
    const bar = document.createElement('progress');
    bar.ariaHidden = 'true';
    status.replaceChildren(bar, ` ${status.dataset.text}`);
  });
  // The page may come back as it was left.
  addEventListener('pageshow', () => status.replaceChildren());
}
