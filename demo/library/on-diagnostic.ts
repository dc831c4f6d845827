/** For `openLibrary`: the page shows problems itself, so none are printed. */
export function onDiagnostic(): void {}
