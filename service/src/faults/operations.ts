/** Finds the operation of a request, by the names in scripts. */

export interface RequestLine {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
}

const PROJECT = '/api/(?:projects|environments)/[^/]+';
const ORGANIZATION = '/api/organizations/[^/]+';
const FLAGS = `${PROJECT}/feature_flags`;
const COHORTS = `${PROJECT}/cohorts`;
const FEATURES = `${PROJECT}/early_access_feature`;

/** Method and path of each operation that a script can name. */
const OPERATIONS: readonly (readonly [name: string, method: string, path: RegExp])[] = [
  ['listFlags', 'GET', pathLike(FLAGS)],
  ['getFlag', 'GET', pathLike(`${FLAGS}/\\d+`)],
  ['createFlag', 'POST', pathLike(FLAGS)],
  ['updateFlag', 'PATCH', pathLike(`${FLAGS}/\\d+`)],
  ['disableFlag', 'POST', pathLike(`${FLAGS}/\\d+/disable`)],
  ['deleteFlag', 'DELETE', pathLike(`${FLAGS}/\\d+`)],
  ['listRoleAccess', 'GET', pathLike(`${FLAGS}/\\d+/role_access`)],
  ['createRoleAccess', 'POST', pathLike(`${FLAGS}/\\d+/role_access`)],
  ['getRoleAccess', 'GET', pathLike(`${FLAGS}/\\d+/role_access/\\d+`)],
  ['deleteRoleAccess', 'DELETE', pathLike(`${FLAGS}/\\d+/role_access/\\d+`)],
  ['getAccess', 'GET', pathLike(`${FLAGS}/\\d+/access_controls`)],
  ['setAccess', 'PUT', pathLike(`${FLAGS}/\\d+/access_controls`)],
  ['getAccessSettings', 'GET', pathLike(`${PROJECT}/access_control_management_settings`)],
  ['listDefaultAccess', 'GET', pathLike(`${PROJECT}/access_control_default_objects`)],
  ['listAccessOfRole', 'GET', pathLike(`${PROJECT}/access_control_role_objects`)],
  ['listAccessOfMember', 'GET', pathLike(`${PROJECT}/access_control_member_objects`)],
  ['getCurrentKey', 'GET', pathLike('/api/personal_api_keys/@current')],
  ['getProject', 'GET', pathLike(PROJECT)],
  ['getOrganization', 'GET', pathLike(ORGANIZATION)],
  ['listRoles', 'GET', pathLike(`${ORGANIZATION}/roles`)],
  ['listMembers', 'GET', pathLike(`${ORGANIZATION}/members`)],
  ['listCohorts', 'GET', pathLike(COHORTS)],
  ['getCohort', 'GET', pathLike(`${COHORTS}/\\d+`)],
  ['createCohort', 'POST', pathLike(COHORTS)],
  ['updateCohort', 'PATCH', pathLike(`${COHORTS}/\\d+`)],
  ['listEarlyAccessFeatures', 'GET', pathLike(FEATURES)],
  ['getEarlyAccessFeature', 'GET', pathLike(`${FEATURES}/[^/]+`)],
  ['createEarlyAccessFeature', 'POST', pathLike(FEATURES)],
  ['updateEarlyAccessFeature', 'PATCH', pathLike(`${FEATURES}/[^/]+`)],
  ['deleteEarlyAccessFeature', 'DELETE', pathLike(`${FEATURES}/[^/]+`)],
  ['listChangeRequests', 'GET', pathLike(`${PROJECT}/change_requests`)],
  ['listScheduledChanges', 'GET', pathLike(`${PROJECT}/scheduled_changes`)],
  ['evaluateFlag', 'POST', pathLike('/ofrep/v1/evaluate/flags/[^/]+')],
  ['evaluateFlags', 'POST', pathLike('/ofrep/v1/evaluate/flags')],
];

export const OPERATION_NAMES: readonly string[] = OPERATIONS.map(([name]) => name);

/** `undefined` for a request without such a name. */
export function findOperationName({ method, path }: RequestLine): string | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return OPERATIONS.find(([, itsMethod, itsPath]) => itsMethod === asked && itsPath.test(path))?.[0];
}

function pathLike(pattern: string): RegExp {
  return new RegExp(`^${pattern}/?$`);
}
