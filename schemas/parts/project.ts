/** What a plan is about: a project, and the roles of its organization. */

import { define, object, string } from '../../src/base/schema.ts';

export const project = define(
  'project',
  object(
    {
      name: string('Name of the project in flagwright.yaml'),
      host: string('Origin of the service without a trailing slash; `embedded` for the embedded service'),
      project_id: string('Id of the project in the service, as a string'),
    },
    { title: 'Project' },
  ),
);
export const role = define(
  'role',
  object(
    { id: string('Id of the role (UUID)'), 'name?': string('Its name in flagwright.yaml; absent where it has none') },
    { title: 'Role' },
  ),
);
