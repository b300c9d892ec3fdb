/** Policies of the configuration. */

import { among, array, boolean, count, define, is, object, open, ref, string } from '../language.ts';
import { filled, percentage } from './values.ts';
import type { EffectClass } from '../../src/effects/effect.ts';

const level = define(
  'level',
  among(['error', 'approve', 'warning'], {
    description: 'error: apply refuses the change. approve: until somebody approves it. warning: never.',
    default: 'error',
  }),
);

export const names = define('names', array(filled(), { minItems: 1 }));

const policyProjects = define('policyProjects', ref(names, 'The projects to which it applies. Default: all.'));

const policyKeys = define('policyKeys', ref(names, 'Globs of the flags to which it applies. Default: all.'));

const ownPolicy = define(
  'ownPolicy',
  object(
    {
      name: string({
        description: 'How findings and waivers name it.',
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

const maxWidenPolicy = define('maxWidenPolicy', {
  description: "At most so many percentage points of a condition's people at once.",
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    points: percentage({ description: "Percentage points of a condition's people." }),
  },
  required: ['points'],
  additionalProperties: false,
});

const time = define('time', string({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', examples: ['16:00'] }));

const zone = define(
  'zone',
  string({ description: 'A time zone of the IANA database.', examples: ['Europe/Berlin', 'UTC'] }),
);

const moment = define(
  'moment',
  string({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T([01]\\d|2[0-3]):[0-5]\\d)?$',
    examples: ['2026-12-20', '2026-12-20T18:00'],
  }),
);

const window = define('window', {
  title: 'Times',
  description: 'From one day or moment to another, or with `days` every week.',
  type: 'object',
  if: { required: ['days'] },
  then: {
    properties: {
      days: array(among(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
        description: 'The days on which it begins.',
        minItems: 1,
      }),
      from: ref(time, { description: 'The time of day.', default: '00:00' }),
      to: ref(time, { description: 'The first minute after it; before `from`: on the next day.', default: '24:00' }),
      zone,
    },
    required: ['zone'],
    additionalProperties: false,
  },
  else: {
    properties: {
      from: ref(moment, 'The first day or minute.'),
      to: ref(moment, 'The first day or minute after it.'),
      zone,
    },
    required: ['from', 'to', 'zone'],
    additionalProperties: false,
  },
});

const windows = define('windows', array(window));

/** In the order in which a message names them. */
const CLASSES: Readonly<Record<EffectClass, true>> = {
  metadata: true,
  payload: true,
  access: true,
  dependency: true,
  widen: true,
  narrow: true,
  enable: true,
  kill: true,
  're-split': true,
  're-bucket': true,
  create: true,
  delete: true,
  restore: true,
  opaque: true,
};

const freezePolicy = define('freezePolicy', {
  description: 'No changes at some times.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    deny: ref(windows, 'Times without changes. They beat `allow`.'),
    allow: ref(windows, 'The only times for changes. Default: always.'),
    except: array(among(Object.keys(CLASSES)), {
      description: 'Changes of these classes alone are made at any time.',
      examples: [['kill']],
    }),
  },
  if: { properties: { allow: false } },
  then: { required: ['deny'] },
  additionalProperties: false,
});

export const globs = define('globs', array(filled()));

const requirePolicy = define('requirePolicy', {
  description: 'What a new flag must have, and no change takes away.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    description: boolean({ description: 'Whether a flag needs a description.', default: false }),
    tags: ref(globs, { description: 'Each pattern must match a tag.', examples: [['owner:*']] }),
  },
  if: { properties: { description: is(false) } },
  then: { required: ['tags'] },
  additionalProperties: false,
});

const namingPolicy = define('namingPolicy', {
  description: 'What new keys look like.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    patterns: ref(names, { description: 'A new key matches one of them.', examples: [['shop-*', 'ops-*']] }),
  },
  required: ['patterns'],
  additionalProperties: false,
});

const noPersonalDataPolicy = define('noPersonalDataPolicy', {
  description: 'No e-mail addresses and phone numbers in conditions.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    allow: ref(globs, { description: 'Values that are allowed.', examples: [['*@example.com']] }),
  },
  additionalProperties: false,
});

const expiresPolicy = define('expiresPolicy', {
  description: 'After its last day, a flag is only taken back.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    tag: string({ description: 'The beginning of the tag with the last day.', minLength: 1, default: 'expires:' }),
    max_days: count('How far ahead a new last day may be. Default: any.'),
  },
  additionalProperties: false,
});

const noDirectProductionPolicy = define('noDirectProductionPolicy', {
  description: 'Another project must have declared it before.',
  properties: {
    rule: true,
    level,
    projects: policyProjects,
    keys: policyKeys,
    first: string({ description: 'The other project.', minLength: 1, examples: ['staging'] }),
    what: among(['flag', 'value'], {
      description: '`flag`: the flag. `value`: each value that changes as well.',
      default: 'value',
    }),
  },
  required: ['first'],
  additionalProperties: false,
});

const experimentRunningPolicy = define('experimentRunningPolicy', {
  description: 'No change of what the people of a running experiment get.',
  properties: { rule: true, level, projects: policyProjects, keys: policyKeys },
  additionalProperties: false,
});

const builtInPolicy = define(
  'builtInPolicy',
  open(
    {
      rule: among(
        [
          'max-widen',
          'freeze',
          'require',
          'naming',
          'no-personal-data',
          'expires',
          'no-direct-production',
          'experiment-running',
        ],
        'The rule.',
      ),
    },
    {
      description: 'A rule by its name, with its options.',
      if: {
        properties: {
          rule: among([
            'max-widen',
            'freeze',
            'require',
            'naming',
            'no-personal-data',
            'expires',
            'no-direct-production',
            'experiment-running',
          ]),
        },
      },
      then: {
        if: { properties: { rule: is('max-widen') } },
        then: maxWidenPolicy,
        else: {
          if: { properties: { rule: is('freeze') } },
          then: freezePolicy,
          else: {
            if: { properties: { rule: is('require') } },
            then: requirePolicy,
            else: {
              if: { properties: { rule: is('naming') } },
              then: namingPolicy,
              else: {
                if: { properties: { rule: is('no-personal-data') } },
                then: noPersonalDataPolicy,
                else: {
                  if: { properties: { rule: is('expires') } },
                  then: expiresPolicy,
                  else: {
                    if: { properties: { rule: is('no-direct-production') } },
                    then: noDirectProductionPolicy,
                    else: experimentRunningPolicy,
                  },
                },
              },
            },
          },
        },
      },
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
