/** The folder with the files of the page. */
export declare const folder: string;
