/** Workflow commands of GitHub Actions, which show remarks in the diff of a pull request. */

import { disarmLines } from '../escape.ts';
import { type Renderer } from '../renderer.ts';
import { formsOfRemarks } from './remarks/forms.ts';

export const GITHUB: Renderer = {
  forms: {
    ...formsOfRemarks(async () => (await import('./github/annotations.ts')).annotations),
  },
  seal: sealCommands,
};

/** The only commands that a document may contain. */
const ANNOTATION = /^::(?:error|warning|notice) \w+=[^,:]*(?:,\w+=[^,:]*)*::.*$/;

/** Disarms every command that is not an annotation. */
function sealCommands(text: string): string {
  return text
    .split('\n')
    .map((line) => (ANNOTATION.test(line) ? `::${disarmLines(line.slice(2))}` : disarmLines(line)))
    .join('\n');
}
