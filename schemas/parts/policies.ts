/** Policies of the configuration: the options of the built-in ones are from `src/review/policy/rules`. */

import { among, define, is, object, open, ref, string, type Definition, type Keywords } from '../../src/base/schema.ts';
import { names } from '../../src/review/policy/basis/policy-kind.ts';
import { POLICIES, policyKindOf, type BuiltInRule } from '../../src/review/policy/built-in.ts';

const level = define(
  'level',
  among(['error', 'approve', 'warning'], {
    description: 'error: apply refuses the change. approve: until somebody approves it. warning: never.',
    default: 'error',
  }),
);

const policyProjects = define('policyProjects', ref(names, 'The projects to which it applies. Default: all.'));

const policyKeys = define('policyKeys', ref(names, 'Globs of the flags to which it applies. Default: all.'));

const ownPolicy = define(
  'ownPolicy',
  object(
    {
      name: string({
        description: 'How findings and exceptions name it.',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
        examples: ['small-steps'],
      }),
      when: string({
        description: 'An expression in CEL; the change is found where it is true.',
        minLength: 1,
        examples: ['change.widens > 50.0 && change.experiments.size() > 0'],
      }),
      message: string({
        description: 'What findings say.',
        pattern: '\\S',
        examples: ['Roll out in smaller steps during an experiment'],
      }),
      'level?': level,
      'projects?': policyProjects,
      'keys?': policyKeys,
    },
    'A rule of your own.',
  ),
);

const RULES = Object.keys(POLICIES) as BuiltInRule[];

const builtInPolicy = define(
  'builtInPolicy',
  open(
    { rule: among(RULES, 'The rule.') },
    {
      description: 'A rule by its name, with its options.',
      if: { properties: { rule: among(RULES) } },
      then: optionsByRule(RULES),
    },
  ),
);

export const policy = define('policy', {
  title: 'Policy',
  description: 'A rule by its name, with its options, or an expression of your own.',
  type: 'object',
  if: { anyOf: [{ required: ['when'] }, { required: ['name'] }] },
  then: ownPolicy,
  else: builtInPolicy,
});

/** Only the options of the rule itself are compared with the document, so that messages are about it. */
function optionsByRule([rule, ...others]: readonly BuiltInRule[]): Keywords | Definition {
  if (rule === undefined) return {};
  const options = optionsOf(rule);
  if (others.length === 0) return options;
  return { if: { properties: { rule: is(rule) } }, then: options, else: optionsByRule(others) };
}

/** `max-widen`: `maxWidenPolicy`. */
function optionsOf(rule: BuiltInRule): Definition {
  const { description, schema, together = {} } = policyKindOf(rule);
  const { type: _, properties, ...rest } = object(schema, description);
  const name = `${rule.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Policy`;
  const head = { rule: true, level, projects: policyProjects, keys: policyKeys };
  return define(name, { ...rest, properties: { ...head, ...(properties as object) }, ...together });
}
