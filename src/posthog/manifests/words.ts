/** The words for everything that reading manifests may report. Loaded only when there is a problem. */

import { SHAPE_WORDS } from '../../base/shape/words.ts';
import type { WordsFor } from '../../base/wording.ts';
import { YAML_WORDS } from '../../base/yaml/words.ts';
import { PROJECT_WORDS } from '../../engine/project-words.ts';
import { MANIFEST_WORDS } from '../../manifest/words.ts';
import { COHORT_WORDS } from '../cohort/words.ts';
import { EARLY_ACCESS_WORDS } from '../early-access/words.ts';
import { FLAG_WORDS } from '../flag/checks/words.ts';
import type { AllManifestProblems } from './problems.ts';
import { ROLE_ACCESS_WORDS } from '../role-access/words.ts';

export const ALL_MANIFEST_WORDS: WordsFor<AllManifestProblems> = {
  ...YAML_WORDS,
  ...SHAPE_WORDS,
  ...PROJECT_WORDS,
  ...MANIFEST_WORDS,
  ...FLAG_WORDS,
  ...COHORT_WORDS,
  ...EARLY_ACCESS_WORDS,
  ...ROLE_ACCESS_WORDS,
};
