// Asks for the API key before GraphiQL opens, because GraphiQL's first query needs the key. The key stays only in the
// page's memory, so the page asks again after a reload.
globalThis.askForKey = (openGraphiQL, options) => {
  const form = document.querySelector('#key-form');
  const input = form.querySelector('input');
  const button = form.querySelector('button');
  const problem = form.querySelector('[role=alert]');

  /** Sends a test query with the key. Returns null if the service accepts the key, otherwise the problem. */
  async function findProblem(headers) {
    const response = await fetch(location.pathname, {
      method: 'POST',
      headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }' }),
    });
    const { errors } = await response.json();
    return errors ? errors[0].message : null;
  }

  async function check(key) {
    // Browsers refuse to send a header with characters outside this range.
    if (!/^[\x21-\x7e]+$/.test(key)) return 'The API key is not valid.';
    const headers = { authorization: `Bearer ${key}` };
    try {
      const found = await findProblem(headers);
      if (found !== null) return found;
    } catch {
      return 'The service cannot be reached. Try again.';
    }
    if (localStorage.getItem('graphiql:visiblePlugin') === null)
      localStorage.setItem('graphiql:visiblePlugin', 'Documentation Explorer');
    openGraphiQL({ ...options, additionalHeaders: headers });
    return '';
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = '';
    problem.textContent = await check(input.value.trim());
    button.disabled = false;
    input.select();
  });
  input.focus();
};
