// Shows that the browser is sending a form that takes some time.
for (const form of document.querySelectorAll('form[data-progress]')) {
  const status = form.querySelector('.progress');
  form.addEventListener('submit', () => {
    const bar = document.createElement('progress');
    bar.ariaHidden = 'true';
    status.replaceChildren(bar, ` ${status.dataset.text}`);
  });
  // The back button may restore the page as it was when the form was sent, with the progress text.
  addEventListener('pageshow', () => status.replaceChildren());
}
