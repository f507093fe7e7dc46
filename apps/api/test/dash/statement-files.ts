import { publicBaseUrl, PUSH_RAIL } from '../harness.ts'
import { send, type TestAnswer } from '../send.ts'
import type { StaffApi, StaffMember } from './staff.ts'

export const heads = 'Id,External id,Date,Status,Type,Amount'

let days = 0
/** Another day for each statement, because a day has one. */
export const nextDay = (): string => new Date(Date.UTC(2020, 0, (days += 1))).toISOString().slice(0, 10)

const noKey = { headers: { 'idempotency-key': undefined } }

export async function begin(who: StaffMember, day = nextDay(), rail: string = PUSH_RAIL): Promise<string> {
  const { body } = await who.post('/statements', { rail, day, reason: 'The statement of the day.' })
  return body.target as string
}

/** The headers of a part of a file, as the dashboard sends them. */
export const partHeadersOf = (who: StaffMember) => ({
  cookie: Array.from(who.cookies, ([name, value]) => `${name}=${value}`).join('; '),
  origin: publicBaseUrl,
  'csrf-token': who.csrfToken,
  'content-type': 'text/csv; charset=utf-8',
})

/** Sends a part of a file as the dashboard does. */
export function sendLines(
  api: Pick<StaffApi, 'origin'>,
  who: StaffMember,
  path: string,
  text: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const headers = { ...partHeadersOf(who), ...more }
  return send(api.origin, { method: 'POST', path: `/dash/v1/statements/${path}`, headers, body: text })
}

/** @param parts how many parts the file has; needed while it is uploaded */
export const compare = (who: StaffMember, id: string, parts?: number): Promise<TestAnswer> =>
  who.post(`/statements/${id}/compare`, parts === undefined ? {} : { parts: String(parts) }, noKey)

/** Uploads a file of one part and compares it. */
export async function uploaded(
  api: Pick<StaffApi, 'origin'>,
  who: StaffMember,
  lines: readonly string[],
  day = nextDay(),
): Promise<string> {
  const id = await begin(who, day)
  await sendLines(api, who, `${id}/lines?part=0`, [heads, ...lines, ''].join('\n'))
  // A call compares for at most a few seconds.
  while ((await compare(who, id, 1)).body.status === 'matching');
  return id
}

export const comparedStatement = async (api: StaffApi): Promise<string> =>
  uploaded(api, await api.signInAs('omar'), [])
