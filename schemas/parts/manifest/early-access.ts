/** An early access feature as manifests declare it. */

import { STAGES, type FeatureMember } from '../../../src/posthog/early-access/feature.ts';
import { among, boolean, define, object, orNull, string, type Schema } from '../../../src/base/schema.ts';
import { intended, onlyIn, overlays } from './layers.ts';

const STAGE =
  'alpha, beta and general-availability: people who enrolled get the flag, whatever its conditions say. draft, concept and archived: its conditions decide.';

const name = string({
  title: 'Name',
  description: 'What people see. Of a new feature, the alias by default.',
  minLength: 1,
  maxLength: 200,
  examples: ['Sharing'],
});

const description = string({ title: 'Description', description: 'What people read about it.' });

const documentation = string({
  title: 'Documentation',
  description: 'Where people read more about it.',
  maxLength: 800,
  pattern: '^$|^(https?|ftps?)://',
  examples: ['https://docs.example.com/sharing'],
});

const payload = {
  title: 'Payload',
  description: 'What the page on which people enroll gets with the feature: any JSON value. Empty: `{}`.',
  type: ['object', 'array', 'string', 'number', 'boolean'],
  examples: [{ icon: 'share' }],
};

type FeatureSchemas = Readonly<Record<`${FeatureMember}?`, Schema>>;

const FIELDS: FeatureSchemas = {
  'name?': name,
  'description?': description,
  'stage?': among(STAGES, STAGE),
  'documentation_url?': documentation,
  'payload?': payload,
};

const IN_PROJECT: FeatureSchemas = {
  'name?': orNull(name),
  'description?': orNull(description),
  'stage?': among([...STAGES, null], STAGE),
  'documentation_url?': orNull(documentation),
  'payload?': orNull(payload),
};

const INTENDED = intended('Texts of the feature', 'description');

const overlay = define(
  'earlyAccessOverlay',
  orNull(
    object(
      {
        ...IN_PROJECT,
        'intended?': orNull(INTENDED),
        'deleted?': orNull(boolean('true: archived in this project.')),
      },
      {
        title: 'Overlay of an early access feature',
        description: 'The members that differ in this project. null removes a member of the base.',
      },
    ),
  ),
);

export const earlyAccess = define(
  'earlyAccess',
  orNull(
    object(
      {
        ...FIELDS,
        'intended?': INTENDED,
        'flag?': string({
          title: 'Flag',
          description:
            'The key of the flag that people can enroll in. Default: the alias. It is chosen once, and identifies the feature.',
          minLength: 1,
          maxLength: 400,
          examples: ['new-sharing'],
        }),
        'projects?': overlays(overlay),
        'only_in?': onlyIn('feature'),
        'deleted?': boolean({
          title: 'Deleted',
          description: 'true: the feature is archived if it exists; it is never removed.',
        }),
      },
      {
        title: 'Early access feature',
        description: 'Declared members are managed; omitted ones are neither compared nor written.',
      },
    ),
  ),
);
