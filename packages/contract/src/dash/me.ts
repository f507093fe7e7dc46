import { z } from 'zod'
import { objectField } from '../fields.ts'
import { operation, staffRoles } from '../operation.ts'
import { instant, staffRead, textOrNull } from './common.ts'

/** Who is signed in. `csrf_token` goes into the header `csrf-token` of every change. */
export const StaffMember = z
  .strictObject({
    object: objectField('staff_member'),
    subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
    name: z.string().describe('The staff member’s name, as the provider told it.'),
    role: z.enum(staffRoles).describe('What the member may do: each role also does what those before it do.'),
    csrf_token: z.string().describe('Goes into the header `csrf-token` of every change.'),
    expires_at: instant('When the session ends, whatever is done until then.'),
  })
  .meta({ id: 'StaffMember', description: 'The staff member who is signed in.' })
export type StaffMember = z.infer<typeof StaffMember>

export const retrieveStaffMember = staffRead({
  id: 'me.retrieve',
  path: '/me',
  summary: 'Show who is signed in',
  description: ['Reads the session: the member, the role, and the token that every change has to send.'],
  schema: StaffMember,
  ok: 'The staff member.',
  example: { answer: { object: 'staff_member' } },
})

/** `redirect_to` is where the provider ends its own session, if it can. */
export const SignedOut = z
  .strictObject({
    object: objectField('signed_out'),
    redirect_to: textOrNull(
      'Where the provider ends its own session. Send the browser to it.',
      'if it has no such page',
    ),
  })
  .meta({ id: 'SignedOut', description: 'The answer to a sign-out.' })
export type SignedOut = z.infer<typeof SignedOut>

export const signOut = operation({
  id: 'dash.me.signOut',
  surface: 'dash',
  role: 'viewer',
  method: 'POST',
  path: '/dash/v1/sign_out',
  summary: 'End the session',
  description: ['Ends the session of the member who is signed in. It takes no Idempotency-Key.'],
  keyless: true,
  errors: [],
  ok: { status: 200, schema: SignedOut, description: 'The session is over.' },
  example: { answer: { object: 'signed_out' } },
})
