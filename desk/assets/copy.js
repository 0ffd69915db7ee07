// Copies the text of a field to the clipboard. Browsers offer the clipboard only with https, so the copy button stays
// hidden otherwise.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  const status = button.nextElementSibling;
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = status.dataset.copied;
    } catch {
      // If the browser denies access to the clipboard, selects the field, so that the user can copy the text by hand.
      field.select();
    }
  });
}
