/** The name of the client in every request, by which the activity log identifies writes of flagwright. */

export const CLIENT_NAME = 'flagwright';
