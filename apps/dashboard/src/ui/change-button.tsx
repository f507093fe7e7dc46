import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { reaches, useMember } from '../member.tsx'
import { type ChangeName, changes } from '../wire/operations.ts'
import { ChangeForm } from './change-form.tsx'

interface ChangeField {
  readonly name: string
  readonly label: string
  readonly pattern?: string
  /** What to write. Stays in view while somebody types. */
  readonly hint: string
  /** The text that the field has at first. */
  readonly value?: string
  /** A button that writes this text into the field. */
  readonly fill?: { readonly label: string; readonly value: string }
  readonly isRequired?: boolean
  /** Shows a text keyboard instead of the numeric one. */
  readonly isText?: boolean
  /** Takes a day and a time in the reader's zone, and sends seconds. */
  readonly isInstant?: boolean
  /** Takes an amount in major units of this currency, and sends minor units. */
  readonly amountIn?: string
}

export interface ChangeProps {
  readonly change: ChangeName
  /** The id of the object that changes. */
  readonly id: string
  /** Shown in place of the id, if the change has no object yet. */
  readonly subject?: string
  /** Sent besides the inputs. */
  readonly values?: Readonly<Record<string, string>>
  /** Sent besides the inputs: what the dialog shows of the object, which the API compares with the present. */
  readonly seen?: Readonly<Record<string, string>>
  /** The text of the button, and the title of the dialog. */
  readonly action: string
  /** What the change does, and what cannot be undone. */
  readonly consequence: ReactNode
  readonly isGrave?: boolean
  /** False shows no button. A dialog that is open still hears what the object is like now. Default: true. */
  readonly isOffered?: boolean
  /** Requires the staff member to type the id. */
  readonly isTyped?: boolean
  /** Inputs besides the reason. Empty ones are not sent. */
  readonly fields?: readonly ChangeField[]
  /** A required choice besides the reason. */
  readonly choice?: { readonly name: string; readonly label: string; readonly options: readonly string[] }
}

interface Dialog {
  readonly open: (props: ChangeProps) => void
  /** Tells the dialog of this change, if it is open, what its object is like now. */
  readonly renew: (props: ChangeProps) => void
}

const OpenDialog = createContext<Dialog>({ open: () => undefined, renew: () => undefined })

interface Opened {
  readonly props: ChangeProps
  readonly times: number
  /** The change as its button has it now, if the object has changed since the staff member looked. */
  readonly newer: ChangeProps | null
}

/**
 * Holds the dialog of a screen's changes. It stays open with its text if the row that opened it leaves the list at a
 * refresh. It keeps what it showed, and shows beside it what has changed since.
 */
export function ChangeDialog({ children }: { readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const open = useCallback((props: ChangeProps) => {
    setOpened((before) => ({ props, times: (before?.times ?? 0) + 1, newer: null }))
    dialog.current?.showModal()
  }, [])
  const renew = useCallback((props: ChangeProps) => {
    setOpened((before) =>
      before === null || before.props.change !== props.change || before.props.id !== props.id
        ? before
        : { ...before, newer: seenIn(before.props) === seenIn(props) ? null : props },
    )
  }, [])
  const showNewer = () =>
    setOpened((before) =>
      before === null || before.newer === null ? before : { ...before, props: before.newer, newer: null },
    )
  return (
    <OpenDialog value={useMemo(() => ({ open, renew }), [open, renew])}>
      {children}
      <dialog ref={dialog} aria-label={opened?.props.action}>
        {opened && (
          <ChangeForm
            {...opened.props}
            key={opened.times}
            newer={opened.newer}
            showNewer={showNewer}
            close={() => dialog.current?.close()}
          />
        )}
      </dialog>
    </OpenDialog>
  )
}

const seenIn = ({ seen = {} }: ChangeProps): string => JSON.stringify(seen)

/** A change by a staff member. A dialog asks for confirmation with the object's id and a reason. */
export function ChangeButton(props: ChangeProps) {
  const { change, action, isGrave = false, isOffered = true } = props
  const { role } = useMember()
  const { open, renew } = use(OpenDialog)
  const renewed = useEffectEvent(() => renew(props))
  useEffect(() => renewed(), [seenIn(props)])
  if (!isOffered || !reaches(role, changes[change].role)) return null
  return (
    <button type="button" className={isGrave ? 'grave' : undefined} onClick={() => open(props)}>
      {action}
    </button>
  )
}
