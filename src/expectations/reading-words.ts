/** The words for everything that reading test files may report. Loaded only when there is a problem. */

import { SHAPE_WORDS } from '../base/shape/words.ts';
import type { WordsFor } from '../base/wording.ts';
import { YAML_WORDS } from '../base/yaml/words.ts';
import { PROJECT_WORDS } from '../engine/project-words.ts';
import { MANIFEST_WORDS } from '../manifest/words.ts';
import type { ExpectationReadingProblems } from './problems.ts';
import { EXPECTATION_WORDS } from './words.ts';

export const EXPECTATION_READING_WORDS: WordsFor<ExpectationReadingProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  'file-outside': MANIFEST_WORDS['file-outside'],
  ...EXPECTATION_WORDS,
};
