/**
 * Search, buttons that copy code, and the mark of the section in view. The pages work without it.
 *
 * The index is loaded when the search field is used for the first time. All text is added as text: the policy of the
 * pages forbids turning text into HTML.
 */
const MOST_RESULTS = 12;
const EXCERPT_CHARACTERS = 150;

const script = document.querySelector('script[data-index]');
const form = document.querySelector('form.search');
const field = form.querySelector('input');
const status = form.querySelector('[role="status"]');
const panel = form.querySelector('.results');
const list = panel.querySelector('ul');

// ---- lists of pages and headings ----

/** On a wide window the lists are open and have no switch; the style hides it. */
function keepOpen(details, query) {
  const wide = matchMedia(query);
  const update = () => {
    details.open = wide.matches;
    details.querySelector('summary').tabIndex = wide.matches ? -1 : 0;
  };
  wide.addEventListener('change', update);
  update();
}

for (const [selector, query] of [['.menu details', '(min-width: 52.01rem)'], ['.headings details', '(min-width: 75.01rem)']]) {
  const details = document.querySelector(selector);
  if (details) keepOpen(details, query);
}

// ---- search ----

let loading = null;

/** The index with texts in lower case beside the originals. A failed load is tried again with the next key. */
function loadIndex() {
  loading ??= fetch(script.dataset.index)
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(response.statusText))))
    .then((sections) => sections.map((section) => ({ ...section, lower: { title: section.title.toLowerCase(), heading: section.heading.toLowerCase(), text: section.text.toLowerCase() } })))
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

/** Whether the word begins at the beginning of a word. */
function beginsWord(text, at) {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
}

/** How well one word fits a text: 0 not at all, 1 inside of a word, 2 at its beginning. */
function fit(text, word) {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 2; at = text.indexOf(word, at + 1)) {
    best = beginsWord(text, at) ? 2 : 1;
  }
  return best;
}

/** The worth of a section for all words together; 0 if a word is missing. */
function worth({ anchor, lower }, words) {
  let sum = 0;
  for (const word of words) {
    const title = fit(lower.title, word);
    const heading = fit(lower.heading, word);
    const text = fit(lower.text, word);
    if (title + heading + text === 0) return 0;
    // The title counts most for the beginning of its page, which has no heading of its own.
    sum += heading * 10 + title * (anchor ? 2 : 12) + text * 2;
  }
  return sum + (lower.heading === words.join(' ') || (!anchor && lower.title === words.join(' ')) ? 30 : 0);
}

function search(sections, words) {
  const found = sections.map((section, place) => ({ section, place, worth: worth(section, words) }));
  return found.filter((one) => one.worth > 0).sort((a, b) => b.worth - a.worth || a.place - b.place);
}

/** Adds a text with the words marked. */
function addMarked(parent, text, words) {
  const lower = text.toLowerCase();
  for (let at = 0; at < text.length; ) {
    const hits = words.map((word) => ({ start: lower.indexOf(word, at), length: word.length })).filter(({ start }) => start >= 0);
    hits.sort((a, b) => a.start - b.start || b.length - a.length);
    const hit = hits[0];
    // The lower case of a few letters is longer than the letter; marks would be in the wrong places.
    if (!hit || lower.length !== text.length) {
      parent.append(text.slice(at));
      return;
    }
    parent.append(text.slice(at, hit.start));
    const mark = document.createElement('mark');
    mark.textContent = text.slice(hit.start, hit.start + hit.length);
    parent.append(mark);
    at = hit.start + hit.length;
  }
}

/** The part of a text around the first of the words. */
function excerpt({ text, lower }, words) {
  const places = words.map((word) => lower.text.indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, (places.length > 0 ? Math.min(...places) : 0) - 40);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = Math.min(text.length, start + EXCERPT_CHARACTERS);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

function resultOf(section, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = `/docs/${section.page}${section.anchor ? `#${section.anchor}` : ''}`;
  const name = document.createElement('strong');
  addMarked(name, section.heading || section.title, words);
  link.append(name);
  if (section.heading) {
    const page = document.createElement('span');
    page.className = 'page';
    page.append(` · ${section.title}`);
    link.append(page);
  }
  const part = document.createElement('span');
  part.className = 'excerpt';
  addMarked(part, excerpt(section, words), words);
  link.append(part);
  item.append(link);
  return item;
}

function close() {
  panel.hidden = true;
  status.textContent = '';
}

function showMessage(text) {
  const item = document.createElement('li');
  item.className = 'none';
  item.textContent = text;
  list.replaceChildren(item);
  panel.hidden = false;
  status.textContent = text;
}

async function showResults() {
  const typed = field.value;
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) {
    close();
    return;
  }
  let sections;
  try {
    sections = await loadIndex();
  } catch {
    showMessage('The search index could not be loaded. Type again to retry.');
    return;
  }
  // The person has typed on while the index was loading.
  if (field.value !== typed) return;
  const found = search(sections, words);
  if (found.length === 0) {
    showMessage(`Nothing has “${typed.trim()}”.`);
    return;
  }
  list.replaceChildren(...found.slice(0, MOST_RESULTS).map(({ section }) => resultOf(section, words)));
  panel.hidden = false;
  panel.scrollTop = 0;
  status.textContent = found.length === 1 ? '1 result' : `${found.length} results`;
}

const links = () => [...list.querySelectorAll('a')];

/** Arrow keys go through field and results, Enter follows a result (the first one from the field), Escape closes. */
function onKey(event) {
  const all = [field, ...links()];
  const at = all.indexOf(document.activeElement);
  const go = (place) => {
    event.preventDefault();
    all[(place + all.length) % all.length].focus();
  };
  if (event.key === 'Escape') {
    event.preventDefault();
    if (panel.hidden) field.blur();
    else {
      close();
      field.focus();
    }
  } else if (panel.hidden || at < 0) {
    if (event.key === 'ArrowDown' && field.value) void showResults();
  } else if (event.key === 'ArrowDown') go(at + 1);
  else if (event.key === 'ArrowUp') go(at - 1);
}

form.hidden = false;
form.addEventListener('keydown', onKey);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  links()[0]?.click();
});
field.addEventListener('focus', () => void loadIndex().catch(() => {}));
field.addEventListener('input', () => void showResults());
form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !form.contains(relatedTarget)) close();
});
document.addEventListener('click', (event) => {
  // Also after a result on the same page was followed.
  if (!form.contains(event.target) || event.target.closest('.results a')) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// ---- code ----

/** The commands of a block that shows what they print; else its whole text. */
function copiedText(code) {
  if (!code.querySelector('.prompt')) return code.textContent;
  const copy = code.cloneNode(true);
  for (const printed of copy.querySelectorAll('.printed, .prompt')) printed.remove();
  return copy.textContent.replaceAll(/\n{2,}/gu, '\n');
}

function addCopyButton(pre) {
  const block = document.createElement('div');
  block.className = 'code';
  pre.replaceWith(block);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(copiedText(pre.querySelector('code')));
      button.textContent = 'Copied';
    } catch {
      // Browsers refuse it on pages without HTTPS; the text is selected, so that a key copies it.
      getSelection().selectAllChildren(pre);
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  block.append(pre, button);
}

document.querySelectorAll('article pre').forEach(addCopyButton);

// ---- the section in view ----

const entries = new Map([...document.querySelectorAll('.headings a')].map((link) => [link.hash.slice(1), link]));
const headings = [...document.querySelectorAll('article :is(h2, h3)[id]')].filter(({ id }) => entries.has(id));

function markSection() {
  const line = innerHeight / 4;
  const current = headings.findLast((heading) => heading.getBoundingClientRect().top <= line);
  for (const [id, link] of entries) {
    if (current?.id === id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

let isMarking = false;
addEventListener('scroll', () => {
  if (isMarking) return;
  isMarking = true;
  requestAnimationFrame(() => {
    isMarking = false;
    markSection();
  });
}, { passive: true });
markSection();
