"""From a book to what people read: pages, pictures, terminal text, exports. Rounding, wording, escaping live here."""
