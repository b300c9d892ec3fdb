/** Parts of several texts: sections with a blank line between them, and the line that names the project. */

import type { ProjectIdentity } from '../../../engine/project.ts';
import { escapeLine } from '../../escape.ts';
import type { Palette } from '../../view.ts';

/** Joins the sections that have lines with one blank line between them. */
export function joinSections(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

export function projectLine(
  words: string,
  { project }: { readonly project: ProjectIdentity },
  palette: Palette,
): string {
  const { name, host, project_id: id } = project;
  const where = host === 'embedded' ? 'embedded service' : `${host}, project ${id}`;
  return `${words} ${palette.strong(escapeLine(name))} ${palette.dim(`(${escapeLine(where)})`)}`;
}
