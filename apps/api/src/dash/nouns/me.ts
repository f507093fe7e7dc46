import { clearCookie, SESSION_COOKIE } from '../cookies.ts'
import { type HandlerDeps, handlers } from '../handlers.ts'
import { finishSignOut, renderMember } from '../sign-in.ts'

export const me = (deps: HandlerDeps) =>
  handlers({
    retrieveStaffMember: ({ signedIn }) => Promise.resolve(renderMember(signedIn, deps.deployment)),
    signOut: ({ signedIn, reply }) => {
      clearCookie(reply, SESSION_COOKIE)
      return finishSignOut(deps, signedIn)
    },
  })
