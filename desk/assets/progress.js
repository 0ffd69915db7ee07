// Shows a progress bar while the browser sends a form and waits for the response.
for (const form of document.querySelectorAll('form[data-progress]')) {
  const status = form.querySelector('.progress');
  form.addEventListener('submit', () => {
    const bar = document.createElement('progress');
    bar.ariaHidden = 'true';
    status.replaceChildren(bar, ` ${status.dataset.text}`);
  });
  // After a click on the back button, the browser may show the page as it was when the form was sent.
  addEventListener('pageshow', () => status.replaceChildren());
}
