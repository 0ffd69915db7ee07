// Copies a field. Browsers allow it on pages by https alone, so elsewhere the button stays hidden.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard;
  const status = button.nextElementSibling;
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = status.dataset.copied;
    } catch {
      // The person may have forbidden it. The field is selected to be copied by hand.
      field.select();
    }
  });
}
