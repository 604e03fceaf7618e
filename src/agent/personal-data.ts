/** Whose placeholders are meant. */
export interface Whose {
  readonly user: string;
  readonly session: string;
}

/** Puts placeholders in the place of personal data, and back. Both take texts and JSON values. */
export interface PersonalData {
  protect(value: unknown, whose: Whose): Promise<unknown>;
  restore(value: unknown, whose: Whose): Promise<unknown>;
}

/** A text as a model may have it; as it is where nothing is protected. Rejects rather than let anything through. */
export async function protectText(text: string, whose: Whose, personalData: PersonalData | undefined): Promise<string> {
  return personalData === undefined ? text : String(await personalData.protect(text, whose));
}
