/** How every request names its client, and so how the activity log names who wrote with flagwright. */

export const CLIENT_NAME = 'flagwright';
