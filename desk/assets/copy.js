// Copies a field. Browsers allow this only on pages over https. On other pages the button stays hidden.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  const status = button.nextElementSibling;
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = status.dataset.copied;
    } catch {
      // The browser may have denied access to the clipboard. Selects the field, so that the person can copy it.
      field.select();
    }
  });
}
