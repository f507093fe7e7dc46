import type { DeclineTexts, FormWords, PageWords } from './words.ts'

export const form: FormWords = {
  offline: 'You are offline. A payment already asked for continues on your phone.',
  noAnswer: 'No answer from the network. We are trying again.',

  payTitle: 'Pay',
  railQuestion: 'Payment method',
  numberLabel: (rail) => `${rail} number`,
  anyNumberLabel: 'Your mobile money number',
  numberHint: 'For example 6 70 00 00 01',
  numberAtRail: (rail) => `${rail} will ask for it on its page too.`,
  railProposed: (rail) => `${rail}, going by your number. You can change it.`,
  railDiffers: (looksLike, chosen) =>
    `This number looks like a number of ${looksLike}. Keep ${chosen} only if you have changed operators.`,
  redirectNote: (rail) => `You will pay on ${rail}’s page, and then come back here.`,
  pushNote: (rail) => `${rail} will ask for your secret code on your phone. This page never asks for it.`,
  pay: (amount) => `Pay ${amount}`,
  payAtRail: (rail) => `Continue to ${rail}`,
  sending: 'Sending the request…',
  numberMissing: 'Enter your mobile money number.',
  numberFitsNone: (rails) =>
    `This does not look like a number of ${rails.join(' or ')}. Check it. If it is right, press the button again to pay.`,
  railMissing: 'Check the number, or choose the payment method.',
  numberRefused: 'This number is incomplete, or is not a telephone number. Please correct it.',
  orderRefused: 'This payment could not be started. Nothing was taken.',
  notReceived: 'Your request does not seem to have gone out. You can try again: you will not pay twice.',
  startAgain: (merchant) => `This payment can no longer be made here. Start again at ${merchant}.`,
  noRail: (merchant) => `No payment method is available. Go back to ${merchant}.`,

  approveTitle: 'Confirm on your phone',
  approveStep: (rail) => `Open the request from ${rail} and type your secret code.`,
  approveNumber: (number) => `Request sent to ${number}.`,
  approvePayee: (name) => `The request shows the name ${name}.`,
  approveBy: (time) => `Confirm before ${time}.`,
  timeLeft: (minutes, seconds) => `${minutes} min ${String(seconds).padStart(2, '0')} s left`,
  timeLeftSpoken: (seconds) => `${seconds} seconds left.`,
  noPromptTitle: 'No request on your phone?',
  dial: (code) => `Dial ${code}`,
  dialSteps: (code, rail) => [
    `On the phone that pays, dial ${code}.`,
    'Open the payment that waits, and check the amount.',
    `Type your ${rail} secret code to confirm.`,
  ],
  copy: 'Copy the code',
  copied: 'Code copied.',
  slow: 'Do not pay again: we are still waiting for the operator’s answer.',
  checkNow: 'Check now',
  updates: 'This page updates by itself.',

  wrongNumber: 'Wrong number?',
  otherWay: 'Pay another way',
  wishWarning: 'One request at a time: do not pay elsewhere while this one is open.',
  requestStays: 'The request that was sent cannot be canceled from here.',
  requestStaysAt: (number) => `The request sent to ${number} cannot be canceled from here.`,
  atRailStays: (rail) => `The payment opened at ${rail} cannot be canceled from here.`,
  goesOnAt: (time, minutes, seconds) =>
    `It ends at ${time}, in ${minutes} min ${String(seconds).padStart(2, '0')} s. This page then goes on by itself.`,
  goesOnAfterAnswer: 'Its time is over. This page goes on by itself once the operator has answered.',
  refuseOnPhone: 'To go on at once, decline the request on the phone that received it.',
  refuseAtRail: (rail) => `To go on at once, decline the payment on ${rail}’s page, if it lets you.`,
  freeAgain: 'The earlier request has ended without a payment. You can pay now.',

  atRailTitle: (rail) => `Finish at ${rail}`,
  atRailText: (rail) => `If you have not finished paying, go back to ${rail}’s page.`,
  atRailWatching: 'If you have paid, do not pay again: we are waiting for the operator’s answer.',
  toRail: (host) => `Go to ${host}`,
  leavingTitle: (rail) => `Opening ${rail}’s page…`,

  unsureTitle: 'We are checking your request',
  unsureText: 'Do not pay another way: we are finding out whether your request went out.',

  pendingTitle: 'No answer from the operator yet',
  pendingText: (merchant) =>
    `Do not pay again. You can close this page: ${merchant} will be told the result.`,
  waitOn: 'Go on checking',

  declinedTitle: 'The payment did not go through',
  declineWatch: 'If you confirm on your phone after all, this page will show it.',
  sameNumber: 'Use the same number',
  otherNumber: 'Use another number',
  tryAgain: 'Try again',
  railSays: 'The operator’s message',

  noMoreTriesTitle: 'This link takes no more tries',
  noMoreTriesText: (merchant) =>
    `There were too many tries. If you have confirmed a request on your phone, this page will show it. If not, ask ${merchant} for a new link.`,

  succeededTitle: 'Payment successful',
  openRequest: (where) =>
    `You have paid. Another request is still open ${where}. Do not confirm it: you would pay twice.`,
  atNumber: (number) => `on ${number}`,
  atPhone: 'on your phone',
  atRailPage: (rail) => `on ${rail}’s page`,

  canceledTitle: 'Payment canceled by the merchant',
  canceledText: (merchant) =>
    `${merchant} no longer waits for this payment. Do not confirm the request on your phone.`,
  expiredTitle: 'This payment link has expired',
  expiredText: (merchant) => `Go back to ${merchant} to ask for another one.`,

  unreadableTitle: 'We cannot check',
  unreadableText: 'No new payment was started from this page. Check your connection.',
  retry: 'Try again',
  lostTitle: 'Incomplete link',

  testMode: 'Test: no money moves',
}

export const page: PageWords = {
  mayClose: 'You can close it and open your link again.',

  onPhoneTitle: 'Pay from your phone?',
  onPhoneText: 'Scan this code to open this page. It opens your payment: do not share it.',

  receiptTitle: 'Receipt',
  receiptMerchant: 'Paid to',
  receiptOrder: 'For',
  receiptAmount: 'Amount',
  receiptMeans: 'Paid with',
  receiptPayer: 'From number',
  receiptPayee: 'To number',
  receiptDate: 'Paid on',
  receiptTransaction: 'Transaction no.',
  receiptReference: 'Reference',
  receiptFile: 'receipt.png',
  share: 'Share the receipt',
  sendByWhatsApp: 'Send by WhatsApp',
  saveImage: 'Save as an image',
  notSaved: 'The image could not be saved. Print the receipt, or take a screenshot.',
  print: 'Print or save as PDF',
  toShop: (merchant) => `Back to ${merchant}`,

  lostText: 'Open the whole payment link that you received again. To see a result, go back to the merchant.',
}

export const declines: DeclineTexts = {
  insufficient_funds: {
    reason: 'There is not enough money, fees included.',
    advice: 'Top up your account, or pay with another number.',
  },
  insufficient_funds_or_limit: {
    reason: 'There is not enough money, or a limit was reached.',
    advice: 'Check the balance, or pay with another number.',
  },
  payer_declined: {
    reason: 'The request was declined on the phone.',
    advice: 'If that was a mistake, try again.',
  },
  approval_timeout: {
    reason: 'The request was not confirmed in time.',
    advice: 'Keep the phone with you, and try again.',
  },
  redirect_expired: {
    reason: 'The payment page expired before you confirmed.',
    advice: 'Try again.',
  },
  payer_not_found: {
    reason: 'This number has no account with this operator.',
    advice: 'Check the number, or choose another payment method.',
  },
  payer_inactive: {
    reason: 'This account is blocked or inactive.',
    advice: 'Call your operator, or pay with another number.',
  },
  limit_reached: {
    reason: 'The account has reached a limit.',
    advice: 'Pay with another number, or wait until tomorrow.',
  },
  payee_refused: {
    reason: 'The merchant’s account cannot receive this payment.',
    advice: 'Tell {merchant}. Another payment method may work.',
  },
  rail_misconfigured: {
    reason: 'The payment could not be processed.',
    advice: 'Tell {merchant}. Another payment method may work.',
  },
  rail_processing_error: {
    reason: 'The operator could not make the payment. Often the balance is too low.',
    advice: 'Check the balance, then try again.',
  },
  rail_unavailable: {
    reason: 'The operator is unavailable at the moment.',
    advice: 'Try again in a few minutes.',
  },
  not_accepted: {
    reason: 'The operator did not receive the request.',
    advice: 'Try again.',
  },
  declined: {
    reason: 'The operator declined the payment.',
    advice: 'Try again, or pay with another number.',
  },
}
