/** The catalog as a document, and in a terminal: a line for each flag and project, and what is not known. */

import type { JsonObject } from '../../base/json.ts';
import { escapeLine } from '../escape.ts';
import { catalogView } from '../model/catalog-view.ts';
import { isWaiting } from '../model/catalog.ts';
import type { ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { FORMAT_VERSION } from './json/seal.ts';

/** What the page shows. */
export function catalogDocument({ catalog }: ReportOf<'catalog'>): JsonObject {
  return { format_version: FORMAT_VERSION, ...(catalogView(catalog) as unknown as JsonObject) };
}

export function catalogText({ catalog }: ReportOf<'catalog'>): string {
  const { flags, projects, notes } = catalogView(catalog);
  const isOne = projects.length === 1;
  const lines = flags.flatMap(({ key, states }) => [
    ...(isOne ? [] : [escapeLine(key)]),
    ...states.map((state) => {
      const { project, word, who, standing } = state;
      const name = isOne ? escapeLine(key) : `  ${escapeLine(project)}`;
      const marks = [
        ...(standing === 'in_sync' || standing === 'unread' ? [] : [standing]),
        ...(isWaiting(state) ? ['waiting'] : []),
      ];
      return `${name}: ${word}${marks.length === 0 ? '' : ` [${marks.join(', ')}]`}, ${who}`;
    }),
  ]);
  const all = `${count(flags.length, 'flag')} in ${count(projects.length, 'project')}. --format html -o FILE writes the page.`;
  return `${[...lines, ...notes.map(({ words }) => `Note: ${words}`), '', all].join('\n')}\n`;
}
