import { z } from 'zod'
import { objectField } from '../fields.ts'
import { operation, staffRoles } from '../operation.ts'
import { instant, staffRead, textOrNull } from './common.ts'

/** The signed-in staff member. Send `csrf_token` in the header `csrf-token` of every change. */
export const StaffMember = z
  .strictObject({
    object: objectField('staff_member'),
    subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
    name: z.string().describe('The staff member’s name, from the OpenID provider.'),
    role: z.enum(staffRoles).describe('The member’s role. Each role includes those before it.'),
    livemode: z.boolean().describe('True on a deployment that moves real money.'),
    csrf_token: z.string().describe('Value for the header `csrf-token` of every change.'),
    expires_at: instant('When the session ends, also if it is in use.'),
  })
  .meta({ id: 'StaffMember', description: 'The staff member who is signed in.' })
export type StaffMember = z.infer<typeof StaffMember>

export const retrieveStaffMember = staffRead({
  id: 'me.retrieve',
  path: '/me',
  summary: 'Show who is signed in',
  description: ['Reads the session: the member, the role, and the token that every change must send.'],
  schema: StaffMember,
  ok: 'The staff member.',
  example: { answer: { object: 'staff_member' } },
})

/** `redirect_to` is the address at which the provider ends its own session, if it has one. */
export const SignedOut = z
  .strictObject({
    object: objectField('signed_out'),
    redirect_to: textOrNull(
      'The address at which the provider ends its own session. Send the browser to it.',
      'if it has none',
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
