// Copies a field. Browsers allow this only on pages over https, so the button stays hidden on other pages.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  const status = button.nextElementSibling;
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = status.dataset.copied;
    } catch {
      // If the browser denies access to the clipboard, the field stays selected, so the user can copy it.
      field.select();
    }
  });
}
