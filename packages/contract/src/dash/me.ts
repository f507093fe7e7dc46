import { z } from 'zod'
import { operation, staffRoles } from '../operation.ts'
import { instant, staffRead } from './common.ts'

/** Who is signed in. `csrf_token` goes into the header `csrf-token` of every change. */
export const StaffMember = z.strictObject({
  object: z.literal('staff_member'),
  subject: z.string(),
  name: z.string(),
  role: z.enum(staffRoles),
  csrf_token: z.string(),
  /** When the session ends, whatever is done until then. */
  expires_at: instant,
})
export type StaffMember = z.infer<typeof StaffMember>

export const retrieveStaffMember = staffRead({ id: 'me.retrieve', path: '/me', schema: StaffMember })

/** `redirect_to` is where the provider ends its own session, if it can. */
export const SignedOut = z.strictObject({
  object: z.literal('signed_out'),
  redirect_to: z.string().nullable(),
})
export type SignedOut = z.infer<typeof SignedOut>

export const signOut = operation({
  id: 'dash.me.signOut',
  surface: 'dash',
  role: 'viewer',
  method: 'POST',
  path: '/dash/v1/sign_out',
  keyless: true,
  ok: { status: 200, schema: SignedOut },
})
