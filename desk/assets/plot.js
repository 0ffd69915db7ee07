// Shows the value of the period that the user selects with a pointer, a finger or the slider. Reads the value from the
// table below the plot.
const placesOf = (plot) => plot.dataset.places.split(' ').map(Number);

/**
 * Returns the text of a period from the table below the plot. The plot starts with the oldest period. The table starts
 * with the newest period and may omit old ones.
 */
function wordsOf(figure, index, count) {
  const row = figure.querySelectorAll('tbody tr')[count - 1 - index];
  if (row === undefined) return '';
  const headings = [...figure.querySelectorAll('thead th')].map(({ textContent }) => textContent);
  const [period, ...cells] = [...row.children].map(({ textContent }) => textContent);
  const isOne = figure.querySelector('.keys') === null;
  // If the plot shows only one metric, omits the last cell, which contains the revision number. Also omits empty cells
  // for notes.
  const values = isOne
    ? cells.slice(0, -1).filter((cell) => cell !== '')
    : cells.map((cell, at) => `${headings[at + 1]} ${cell}`).filter((_, at) => cells[at] !== '–');
  return `${period}: ${values.join(' · ')}`;
}

function markPlace(plot, place) {
  const x = place * plot.viewBox.baseVal.width;
  const cursor =
    plot.querySelector('.cursor') ?? plot.appendChild(plot.querySelector('path').cloneNode());
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('d', `M${x} 0V${plot.viewBox.baseVal.height}`);
}

function show(figure, index) {
  const plot = figure.querySelector('svg[data-places]');
  const places = placesOf(plot);
  const words = wordsOf(figure, index, places.length);
  const slider = figure.querySelector('.readout input');
  figure.querySelector('.readout output').textContent = words;
  slider.value = index;
  slider.setAttribute('aria-valuetext', words);
  markPlace(plot, places[index]);
}

function nearest(plot, clientX) {
  const { left, width } = plot.getBoundingClientRect();
  const part = (clientX - left) / width;
  const wanted = getComputedStyle(plot).direction === 'rtl' ? 1 - part : part;
  const distances = placesOf(plot).map((place) => Math.abs(place - wanted));
  return distances.indexOf(Math.min(...distances));
}

function follow({ target, clientX }) {
  const plot = target.closest?.('svg[data-places]');
  if (plot) show(plot.closest('figure'), nearest(plot, clientX));
}

document.addEventListener('pointermove', follow);
document.addEventListener('pointerdown', follow);
for (const type of ['input', 'focusin'])
  document.addEventListener(type, ({ target }) => {
    if (target.matches?.('.readout input')) show(target.closest('figure'), Number(target.value));
  });
