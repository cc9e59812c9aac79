import { createClient, SheafError } from 'sheaf/client';

const url = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:1337';
const client = createClient({ url });

const list = /** @type {HTMLUListElement} */ (document.querySelector('#list'));
const more = /** @type {HTMLButtonElement} */ (document.querySelector('#more'));
const status = /** @type {HTMLElement} */ (document.querySelector('#status'));
const search = /** @type {HTMLInputElement} */ (document.querySelector('#search'));

/** @param {string} text @param {AbortSignal} signal */
const restaurants = (text, signal) =>
  client.restaurants.pages(
    {
      filters: { $or: [{ name: { $containsi: text } }, { address: { city: { $containsi: text } } }] },
      fields: ['name', 'stars'],
      populate: { address: { fields: ['city'] } },
      sort: ['stars:desc', 'name'],
      pagination: { pageSize: 3 },
    },
    { signal },
  );

let running = new AbortController();
let pages = restaurants('', running.signal);

async function showMore() {
  try {
    const { value: page, done } = await pages.next();
    more.hidden = done === true || page.data.length === 0;
    if (done) return;
    for (const { name, stars, address } of page.data) {
      const item = document.createElement('li');
      item.textContent = `${name} ${'★'.repeat(stars ?? 0)} ${address?.city ?? ''}`;
      list.append(item);
    }
    status.textContent = `${list.children.length} shown`;
  } catch (error) {
    // A search that was given up for the next one.
    if (running.signal.aborted || (error instanceof Error && error.name === 'AbortError')) return;
    status.textContent =
      error instanceof SheafError && error.requestId
        ? `${error.message} (request ${error.requestId})`
        : 'The server was not reached.';
  }
}

search.addEventListener('input', () => {
  running.abort();
  running = new AbortController();
  pages = restaurants(search.value, running.signal);
  list.replaceChildren();
  showMore();
});
more.addEventListener('click', showMore);
await showMore();
