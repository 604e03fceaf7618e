/** Returns the page with the table of all settings between its markers. */
export function withSettingsTable(page: string): string;
