/** The words for everything that reading a configuration may report. Loaded only when there is a problem. */

import { SHAPE_WORDS } from '../base/shape/words.ts';
import type { WordsFor } from '../base/wording.ts';
import { YAML_WORDS } from '../base/yaml/words.ts';
import { PROJECT_WORDS } from '../engine/project-words.ts';
import { OWNERSHIP_WORDS } from '../posthog/flag/checks/ownership-words.ts';
import type { ConfigReadingProblems } from './problems.ts';
import { CONFIG_WORDS } from './words.ts';

export const CONFIG_READING_WORDS: WordsFor<ConfigReadingProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  ...CONFIG_WORDS,
  ...OWNERSHIP_WORDS,
};
