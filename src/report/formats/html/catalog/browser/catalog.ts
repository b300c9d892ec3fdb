/**
 * The script of the catalog's page, as `scripts/compile-page-script.mjs` bundles it: searches, switches views and opens flags. It reads what the
 * page says as text, and writes only text and attributes of its own.
 */

import { type ViewName, VIEWS } from '../words.ts';
import { completeLinks, fillChoices, nameTimes, type Page, readPage } from './page.ts';
import { hasTerm, isMatch, parseQuery, type Query, toggleTerm } from './query.ts';
import { groupFlags, moveInto, projectTerm, showFound, showItems } from './shown.ts';

/** What the address says. */
interface State {
  view: ViewName;
  project: string;
  query: string;
  /** The key of the open flag; empty if none is. */
  flag: string;
}

interface Session {
  readonly page: Page;
  readonly state: State;
  seen: { readonly matched: ReadonlySet<number>; readonly query: Query };
  /** The views that show what matches: others do when they are chosen. */
  readonly shown: Set<ViewName>;
  /** Puts the flag that is in the dialog back into its place. */
  putBack: (() => void) | undefined;
}

// Before the body is there, so that no view is shown that is hidden right after.
document.documentElement.classList.add('scripted');
document.addEventListener('DOMContentLoaded', start);

function start(): void {
  completeLinks();
  nameTimes();
  const page = readPage();
  fillChoices(page);
  const session: Session = {
    page,
    state: stateIn('', page),
    seen: { matched: new Set(), query: parseQuery('', page) },
    shown: new Set(),
    putBack: undefined,
  };
  listenToClicks(session);
  listenToFlags(session);
  listenToChoices(session);
  listenToKeys(session);
  addEventListener('hashchange', () => readAddress(session));
  // Paper has all views.
  addEventListener('beforeprint', () => {
    close(session);
    for (const view of VIEWS) showMatches(session, view);
  });
  readAddress(session);
}

function readAddress(session: Session): void {
  const { page, state } = session;
  close(session);
  const { flag, ...asked } = stateIn(location.hash, page);
  Object.assign(state, asked, { flag: '' });
  page.search.value = state.query;
  chooseProject(session, state.project);
  find(session);
  showView(session);
  const index = page.flags.findIndex(({ key }) => key === flag);
  if (index >= 0) open(session, index);
  else writeAddress(session);
}

function writeAddress({ page: { projects }, state }: Session): void {
  const address = `#${addressOf(state, projects)}`;
  if (location.hash !== address) history.replaceState(null, '', address);
  for (const [link, view] of viewLinks()) link.href = `#${addressOf({ ...state, view, flag: '' }, projects)}`;
}

function find(session: Session): void {
  const { page, state, shown } = session;
  const query = parseQuery(state.query, page);
  const matched = page.flags.flatMap(({ searched }, index) => (isMatch(searched, query) ? [index] : []));
  session.seen = { matched: new Set(matched), query };
  shown.clear();
  showMatches(session, state.view);
  showFound(page, state, session.seen);
}

function showMatches({ page, seen, shown }: Session, view: ViewName): void {
  if (shown.has(view)) return;
  shown.add(view);
  showItems(page, view, seen);
}

function setQuery(session: Session, query: string): void {
  const { page, state } = session;
  state.query = query;
  if (page.search.value !== query) page.search.value = query;
  find(session);
  writeAddress(session);
}

function chooseProject({ page, state, shown }: Session, project: string): void {
  state.project = project;
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=p]')) {
    input.checked = input.value === project;
  }
  groupFlags(page, project);
  shown.delete('live');
}

function showView(session: Session): void {
  const { page, state } = session;
  for (const [view, section] of page.sections) section.classList.toggle('on', view === state.view);
  for (const [link, view] of viewLinks()) {
    if (view === state.view) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  showMatches(session, state.view);
}

/** In its place where that is in sight, or else in a dialog. */
function open(session: Session, index: number): void {
  const { page, state } = session;
  const flag = page.flags[index];
  if (flag === undefined) return;
  close(session);
  const { card, key } = flag;
  state.flag = key;
  if (state.view === 'live' && card.closest('[hidden]') === null) {
    card.open = true;
    card.querySelector('summary')?.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'start' });
  } else {
    session.putBack = moveInto(page.dialog, card, key);
  }
  writeAddress(session);
}

function close(session: Session): void {
  const { putBack, page } = session;
  session.putBack = undefined;
  putBack?.();
  if (page.dialog.open) page.dialog.close();
}

/** The flag is open no more. */
function forget(session: Session, key: string): void {
  if (session.state.flag === key) session.state.flag = '';
  writeAddress(session);
}

function listenToClicks(session: Session): void {
  const { page, state } = session;
  document.addEventListener('click', (event) => {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(target instanceof Element)) return;
    const button = target.closest('button');
    if (button !== null) {
      const term = button.dataset['term'];
      if (term === undefined) closeDialog(session);
      else setQuery(session, toggleTerm(state.query, term));
      return;
    }
    const hash = target.closest('a')?.getAttribute('href') ?? '';
    const isClosing = page.dialog.contains(target) && (target === page.dialog || target.closest('summary') !== null);
    if (hash.startsWith('#f')) open(session, Number(hash.slice(2)));
    else if (hash.startsWith('#view=')) {
      state.view = stateIn(hash, page).view;
      showView(session);
      writeAddress(session);
    } else if (isClosing) closeDialog(session);
    else return;
    event.preventDefault();
  });
  page.dialog.addEventListener('close', () => {
    // The event comes late: another flag may be in it by then.
    if (!page.dialog.open) closeDialog(session);
  });
}

function closeDialog(session: Session): void {
  if (session.putBack === undefined) return;
  const { flag } = session.state;
  close(session);
  forget(session, flag);
}

/** Those that open in their place. */
function listenToFlags(session: Session): void {
  const { page, state } = session;
  for (const { card, key } of page.flags) {
    card.addEventListener('toggle', () => {
      if (page.dialog.open) return;
      if (!card.open) return forget(session, key);
      state.flag = key;
      writeAddress(session);
    });
  }
}

function listenToChoices(session: Session): void {
  const { page, state } = session;
  const { search, owners } = page;
  search.addEventListener('input', () => setQuery(session, search.value));
  // A query about one project shows that one, but not while somebody writes: moving all flags takes a while.
  search.addEventListener('change', () => {
    const [asked, ...others] = page.projects.filter((name) => hasTerm(state.query, projectTerm(name)));
    if (asked === undefined || others.length > 0) return;
    chooseProject(session, asked);
    setQuery(session, state.query);
  });
  let former = '';
  owners.addEventListener('change', () => {
    const others = hasTerm(state.query, former) ? toggleTerm(state.query, former) : state.query;
    former = owners.value === '' ? '' : `owner:"${owners.value}"`;
    setQuery(session, former === '' ? others : toggleTerm(others, former));
  });
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=p]')) {
    input.addEventListener('change', () => {
      const former = projectTerm(state.project);
      chooseProject(session, input.value);
      const isAsked = hasTerm(state.query, former);
      setQuery(session, isAsked ? toggleTerm(toggleTerm(state.query, former), projectTerm(input.value)) : state.query);
    });
  }
}

function listenToKeys(session: Session): void {
  const { search, dialog } = session.page;
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    const isWriting = target instanceof HTMLElement && (target === search || target.tagName === 'SELECT');
    if (key === '/' && !isWriting && !dialog.open && !(event.ctrlKey || event.metaKey || event.altKey)) search.focus();
    else if (key === 'Escape' && target === search) setQuery(session, '');
    else return;
    event.preventDefault();
  });
}

function addressOf({ view, project, query, flag }: State, projects: readonly string[]): string {
  const parts = { view, project: project === projects[0] ? '' : project, q: query, flag };
  return new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== '')).toString();
}

/** `#f12` names a flag by its number, as links without the script do. */
function stateIn(hash: string, { flags, projects }: Page): State {
  const parts = new URLSearchParams(hash.slice(1));
  const number = /^#f(\d+)$/.exec(hash)?.[1];
  return {
    view: VIEWS.find((view) => view === parts.get('view')) ?? 'live',
    project: projects.find((project) => project === parts.get('project')) ?? projects[0] ?? '',
    query: parts.get('q') ?? '',
    flag: number === undefined ? (parts.get('flag') ?? '') : (flags[Number(number)]?.key ?? ''),
  };
}

function viewLinks(): readonly (readonly [HTMLAnchorElement, ViewName])[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];
  return links.flatMap((link, index) => {
    const view = VIEWS[index];
    return view === undefined ? [] : [[link, view] as const];
  });
}
