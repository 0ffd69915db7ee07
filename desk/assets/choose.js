// Shows the checkbox that selects all companies of a table. Without scripts, the checkbox stays hidden.
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
