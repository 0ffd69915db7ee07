// Shows a checkbox that selects all companies of a table. Without this script, the checkbox does nothing, so the page
// hides it at first.
for (const all of document.querySelectorAll('input[data-choose]')) {
  const boxes = () => [...all.form.elements].filter(({ name }) => name === all.dataset.choose);
  all.closest('label').hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked;
  });
  all.form.addEventListener('change', () => {
    const chosen = boxes().filter(({ checked }) => checked).length;
    all.checked = chosen === boxes().length;
    all.indeterminate = chosen > 0 && !all.checked;
  });
}
