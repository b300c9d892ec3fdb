/** The paths of objects that the service only keeps, which only today's service has. */

import { ACTIONS, listActions } from '../kept-objects/actions.ts';
import { HOG_FUNCTIONS, listFunctions } from '../kept-objects/hog-functions.ts';
import { createHandler, getHandler, updateHandler, type KeptKind } from '../kept-objects/kind.ts';
import { deleteSurvey, listSurveys, SURVEYS } from '../kept-objects/surveys.ts';
import type { Answer, Handler } from '../handler/call.ts';
import type { Methods, Operation } from '../handler/operation.ts';

type Routes = readonly (readonly [path: string, methods: Methods])[];

export const KEPT_OBJECT_ROUTES: Routes = [
  ...routesOf('actions', ACTIONS, { list: listActions, remove: refuseDelete }),
  ...routesOf('hog_functions', HOG_FUNCTIONS, { list: listFunctions, remove: refuseDelete }),
  ...routesOf('surveys', SURVEYS, { list: listSurveys, remove: deleteSurvey }),
];

interface OwnHandlers {
  readonly list: Handler;
  readonly remove: Handler;
}

function routesOf(path: string, kind: KeptKind, { list, remove }: OwnHandlers): Routes {
  const op = (name: string, handler: Handler): Operation => ({ id: `${path}_${name}`, handler, profile: 'posthog' });
  return [
    [path, { GET: op('list', list), POST: op('create', createHandler(kind)) }],
    [
      `${path}/:id`,
      {
        GET: op('get', getHandler(kind)),
        PATCH: op('update', updateHandler(kind)),
        DELETE: op('delete', remove),
      },
    ],
  ];
}

/** The object stays; a PATCH deletes it. */
function refuseDelete(): Answer {
  return { status: 405 };
}
