import { api, core } from '../sentence.ts'
import { type Asset, threat } from './threat.ts'

export const staff: Asset = {
  title: 'The staff’s surface',
  threats: [
    threat(
      'a stranger',
      'Somebody is signed in with another’s callback, code or cookie.',
      'State, nonce and PKCE are bound to a cookie of the attempt; a session is new with each sign-in.',
      api('dash/sign-in', "with somebody else's callback signs nobody in (login CSRF)"),
      api('dash/sign-in', 'by a session that was planted before the sign-in gets nothing (fixation)'),
    ),
    threat(
      'a staff member',
      'A change beyond the role is made.',
      'Each operation names its role; roles are read from the provider’s claims through today’s configuration.',
      api('dash/every-route', '%s names the one that is needed'),
      api('dash/every-route', 'a role that is taken away is lost at once'),
    ),
    threat(
      'a staff member',
      'A change is made without a trace.',
      'The entry is written in the transaction of its change, and the log refuses every update and deletion.',
      core('audit', 'a change whose entry cannot be written is not made, nor its event, nor its key used up'),
      core('audit', 'refuses %s, whoever asks'),
    ),
    threat(
      'whoever finds an open browser or an old cookie',
      'The session is used.',
      'It ends after half an hour without use, after eight hours, and at sign-out.',
      api('dash/every-route', 'ends when nobody has used it for half an hour'),
      api('dash/every-route', 'is over at once where somebody signs out, whoever kept its cookie'),
    ),
  ],
}
