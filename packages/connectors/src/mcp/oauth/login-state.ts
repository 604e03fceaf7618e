/** The state of a user's login to a server. */
export type LoginState = 'none' | 'authorized' | 'expired';
