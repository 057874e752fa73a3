import type { UserId } from 'kit-auth';
import { BOOLEAN, endpoints, INTEGER, object, orNull, TEXT, TIME, value } from 'kit-auth/feature';
import { PAGE, pageOf, TEXT_PARAMETER, TIME_PARAMETER } from '../input/query.js';

const USER_ID = orNull(value<UserId>(({ userId }) => userId));
const ENTRY = object({
  id: INTEGER,
  type: TEXT,
  at: TIME,
  actorId: USER_ID,
  actor: orNull(TEXT),
  subjectId: USER_ID,
  subject: orNull(TEXT),
  success: BOOLEAN,
  detail: orNull(TEXT),
  address: orNull(TEXT),
});

export const auditApi = endpoints({
  'GET audit': {
    id: 'kitAuthFindEvents',
    summary: 'Searches and lists the audit log, newest event first, in pages',
    permission: 'auth:audit:read',
    query: {
      actor: TEXT_PARAMETER,
      subject: TEXT_PARAMETER,
      type: TEXT_PARAMETER,
      from: TIME_PARAMETER,
      to: TIME_PARAMETER,
      ...PAGE,
    },
    answer: pageOf(ENTRY, INTEGER),
    section: 'audit',
  },
});
