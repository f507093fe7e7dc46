import { api, core, db } from '../test-ref.ts'
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
      'A refused charge is ruled paid, and refunded to a number of their own.',
      'A ruling of success and a payout to a number that did not pay take a second person; nothing that stands on a ruling alone is refunded; what one member asks for in a day has a limit.',
      api('dash/approval-requests', 'one operator alone turns no refusal into a payout'),
      api(
        'dash/unproven-charges',
        'a payment that stands on a ruling alone is refunded neither by staff nor by its merchant, until a statement is recorded, by two people',
      ),
      api('dash/limits', 'a staff member refunds so many in a day, of which twenty at once are no more'),
    ),
    threat(
      'a staff member who pays out, and later denies to whom',
      'The log does not tell the number, or tells it to everybody.',
      'An entry keeps a hash of the number under a key of the payment, which an erasure destroys.',
      api(
        'dash/number-hashes',
        'says whether it goes to the payer, and to whom only who has the number can ask',
      ),
      api('dash/number-hashes', 'tells nothing of the number once its customer is erased'),
    ),
    threat(
      'whoever holds the service’s database connection',
      'Rules of the tables are switched off, or the log is emptied.',
      'The service’s role owns nothing: it changes rows and nothing else, and of what is written once not even those.',
      db('app-role', 'the app role may not'),
      db(
        'grants',
        'each table is in the list, belongs to the owner, and grants the app role what the list says',
      ),
    ),
    threat(
      'whoever administers the database',
      'Entries of the log are altered, removed or made up.',
      'Entries are chained by hash, and each head is a log line that a collector keeps; `audit:verify` finds the first that does not fit.',
      db('audit-chain', 'an entry that was altered, whichever column'),
      db('audit-chain', 'a chain that was written anew, by a head that was noted outside'),
    ),
    threat(
      'a staff member',
      'A change is made without a trace.',
      'The entry is written in the transaction of its change, and the log refuses every update and deletion.',
      core('audit', 'a change whose entry cannot be written is not made, nor its event, nor its key used up'),
      core('audit', 'refuses %s, whoever asks'),
    ),
    threat(
      'whoever finds an open browser',
      'A grave change is made in somebody else’s name.',
      'Where the deployment configures it, a grave change takes a sign-in of a moment ago, as strong as is asked for.',
      api('dash/step-up', 'takes a sign-in of a moment ago, and after another one is made'),
      api('dash/step-up', 'that is weaker than is asked for is good for reading alone'),
    ),
    threat(
      'whoever finds an open browser or an old cookie',
      'The session is used.',
      'It ends after half an hour without use, after eight hours, and at sign-out.',
      api('dash/every-route', 'ends when nobody has used it for half an hour'),
      api('dash/every-route', 'is over at once where somebody signs out, whoever kept its cookie'),
    ),
    threat(
      'a curious staff member',
      'Payers are looked up without a trace.',
      'A look-up by number and a customer who is opened are entries of the audit log, written before they are answered.',
      api(
        'dash/reads',
        'is an entry of whoever asks, a viewer too, with a keyed hash in place of the number',
      ),
      api('dash/reads', 'is an entry, one in ten minutes for each staff member'),
      core('audit', 'a read of a person whose entry cannot be written is refused'),
    ),
    threat(
      'whoever reads the logs of a proxy, or the history of a browser',
      'Payers’ numbers are read from addresses.',
      'A number is sent in a form. An address holds an encrypted handle of it, which is over after twelve hours.',
      api('dash/lookup', 'is there of a number alone, tells nothing of it, and is another one each time'),
      api('dash/lookup', '400: %s takes it for twelve hours'),
      api('dash/lookup', '405: it is asked by no address'),
    ),
    threat(
      'somebody who was signed out at the identity provider',
      'Their session here goes on.',
      'The provider’s logout token ends the sessions of its sid, or of its sub.',
      api('dash/backchannel-logout', 'whoever signs out at the provider is signed out here'),
      api('dash/backchannel-logout', 'of a sid ends the session of that sign-in, and no other'),
    ),
    threat(
      'a stranger',
      'Staff are signed out by a forged or repeated logout token.',
      'It is signed by the provider, for this client alone, young, of the logout event, and good once.',
      api('dash/backchannel-logout', 'a signature by another key, none, or one by a shared secret'),
      api('dash/backchannel-logout', 'is good once, also where it comes twice at once'),
    ),
    threat(
      'whoever reads what the service and the provider share',
      'Codes are redeemed in the service’s name.',
      'With a client key there is no shared secret: each request is signed, and the provider knows the public part.',
      api('dash/client-key', 'signs nobody in by a key that the provider does not know'),
    ),
  ],
}
