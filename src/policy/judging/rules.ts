/** The built-in rules by name: a new one is a file in `rules/`, a member of `BuiltInPolicy`, its facts, and a row here. */

import type { Rule } from '../judged.ts';
import type { BuiltInRule, PolicyFor } from '../policy.ts';
import { experimentRunning } from '../rules/experiment-running.ts';
import { expires } from '../rules/expires.ts';
import { freeze } from '../rules/freeze.ts';
import { maxWiden } from '../rules/max-widen.ts';
import { naming } from '../rules/naming.ts';
import { noDirectProduction } from '../rules/no-direct-production.ts';
import { noPersonalData } from '../rules/no-personal-data.ts';
import { required } from '../rules/require.ts';

export const RULES: { readonly [Name in BuiltInRule]: Rule<PolicyFor<Name>> } = {
  'max-widen': maxWiden,
  freeze,
  require: required,
  naming,
  'no-personal-data': noPersonalData,
  expires,
  'no-direct-production': noDirectProduction,
  'experiment-running': experimentRunning,
};
