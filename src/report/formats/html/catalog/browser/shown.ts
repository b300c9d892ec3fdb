/** Shows what matches a query, in each view, and each flag in the group of its word. */

import { dayText } from '../../../../words/days.ts';
import { GROUPS, STANDINGS, type ViewName } from '../words.ts';
import { type Page, the } from './page.ts';
import { hasTerm, lastDayIn, type Query } from './query.ts';

export interface Seen {
  readonly matched: ReadonlySet<number>;
  readonly query: Query;
}

/** Hides what does not match, and groups without a match. */
export function showItems({ items, sections }: Page, view: ViewName, { matched, query }: Seen): void {
  const amounts = new Map<Element, number>();
  const isAsked = (project: string | undefined): boolean =>
    project === undefined ||
    query.terms.every(
      ({ name, isNegative, values }) => name !== 'in' || isNegative !== values.some((one) => one === project),
    );
  const section = sections.get(view);
  for (const { element, flag, project } of items.get(view) ?? []) {
    const isShown = (flag < 0 || matched.has(flag)) && isAsked(project);
    // Setting what is set already costs a browser more than looking.
    if (element.hidden === isShown) element.hidden = !isShown;
    let group = element.closest('.g');
    while (group !== null && group !== section) {
      amounts.set(group, (amounts.get(group) ?? 0) + (isShown ? 1 : 0));
      group = group.parentElement?.closest('.g') ?? null;
    }
  }
  for (const [group, amount] of amounts) {
    group.toggleAttribute('hidden', amount === 0);
    const number = group.querySelector(':scope > h3 > .n');
    if (number !== null) number.textContent = String(amount);
  }
}

/** Says how many match, what was not understood, and what a search for people leaves out though they get it. */
export function showFound(
  page: Page,
  asked: { readonly project: string; readonly query: string },
  { matched, query }: Seen,
): void {
  const { flags, projects } = page;
  const { project, query: text } = asked;
  const until = lastDayIn(query);
  const found = `${matched.size} of ${flags.length} flags match.`;
  the('#found').textContent = [
    ...query.problems,
    query.terms.length + query.problems.length === 0 ? '' : found,
    until === undefined ? '' : `Until ${dayText(until)}.`,
  ].join(' ');
  const hasWord = query.terms.some(({ name, isNegative }) => name === 'word' && !isNegative);
  const at = projects.indexOf(project);
  const others = flags.filter((_, index) => !matched.has(index)).map(({ states }) => states[at]?.word);
  const all = others.filter((word) => word === 'all' || word === 'split').length;
  const some = others.filter((word) => word === 'some').length;
  the('#also').textContent =
    hasWord && query.problems.length === 0 && all + some > 0
      ? `Also on in ${project}, but no match: ${all} for everybody, ${some} for some people.`
      : '';
  for (const button of document.querySelectorAll<HTMLElement>('button[data-term]')) {
    button.setAttribute('aria-pressed', String(hasTerm(text, button.dataset['term'] ?? '')));
  }
}

export function projectTerm(name: string): string {
  return /[\s,"]/.test(name) ? `in:"${name}"` : `in:${name}`;
}

/** Puts each flag into the group of its word in the project, and shows that state in its line. */
export function groupFlags({ flags, projects, sections }: Page, project: string): void {
  const section = sections.get('live');
  const groups = [...(section?.querySelectorAll<HTMLElement>('.l') ?? [])];
  const at = Math.max(0, projects.indexOf(project));
  // The page has them by the first.
  if (section === undefined || (section.dataset['at'] ?? '0') === String(at)) return;
  section.dataset['at'] = String(at);
  const name = projects[at] ?? '';
  the('#in').textContent = name;
  const only = the('#only');
  only.dataset['term'] = projectTerm(name);
  only.textContent = `only ${name}`;
  const lists = groups.map((): HTMLElement[] => []);
  for (const { card, states } of flags) {
    const state = states[at];
    if (state === undefined) continue;
    const who = card.querySelector('summary > i');
    if (who !== null) who.textContent = state.who;
    card.querySelector('summary > .m')?.remove();
    if (STANDINGS[state.standing] !== '') {
      const mark = document.createElement('i');
      mark.className = 'm';
      mark.textContent = STANDINGS[state.standing];
      who?.after(mark);
    }
    lists[GROUPS.findIndex(([, words]) => words.includes(state.word))]?.push(card);
  }
  for (const [index, group] of groups.entries()) group.append(...(lists[index] ?? []));
  for (const [index, group] of groups.entries()) {
    group.hidden = lists[index]?.length === 0;
    const number = group.querySelector('.n');
    if (number !== null) number.textContent = String(lists[index]?.length ?? 0);
  }
}

/** Returns what puts the card back into its place. */
export function moveInto(dialog: HTMLDialogElement, card: HTMLDetailsElement, key: string): () => void {
  const { parentElement: home, nextSibling: next, open: wasOpen, hidden: wasHidden } = card;
  dialog.append(card);
  card.hidden = false;
  card.open = true;
  dialog.setAttribute('aria-label', key);
  dialog.showModal();
  return () => {
    card.open = wasOpen;
    card.hidden = wasHidden;
    home?.insertBefore(card, next);
  };
}
