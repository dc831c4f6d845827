/** The part of a Rollup plugin context that emits the rows. */
interface RowsContext {
    environment: {
        config: {
            consumer: string;
            build: {
                assetsDir: string;
            };
        };
    };
    emitFile(file: {
        type: 'asset';
        fileName: string;
        source: Uint8Array;
    }): string;
}
/**
 * Copies the rows of the bundled model beside a built page, so that a message fetches those of its words instead of whole parts. In
 * development they are beside their module.
 * @returns The module that names their folder; `undefined` for other modules.
 */
export declare function loadModelRows(id: string, context: RowsContext): string | undefined;
/** Emits the rows, and returns an expression for the address of their folder. */
export declare function emitModelRows(context: RowsContext): string;
export {};
