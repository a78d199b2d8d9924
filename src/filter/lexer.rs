//! The words of an expression.

use super::Op;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Open,
    Close,
    Op(Op, &'static str),
    /// A name, a keyword, a number or text without quotes.
    Word(String),
    /// Text that stood in quotes.
    Quoted(String),
}

impl Token {
    /// The token as it was typed, near enough for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Open => "(".to_owned(),
            Token::Close => ")".to_owned(),
            Token::Op(_, text) => (*text).to_owned(),
            Token::Word(word) => word.clone(),
            Token::Quoted(text) => format!("\"{text}\""),
        }
    }

    /// True for a word that is this keyword, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// Longer spellings first: `<=` is not `<`.
const OPERATORS: [(&str, Op); 8] = [
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("==", Op::Equal),
    ("!=", Op::Unequal),
    ("<", Op::Less),
    (">", Op::Greater),
    ("=", Op::Equal),
    ("~", Op::Contains),
];

/// Cuts an expression into its words.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = match first {
            '(' => (Token::Open, rest.split_at(1).1),
            ')' => (Token::Close, rest.split_at(1).1),
            '"' | '\'' => {
                let inside = rest.split_at(1).1;
                let (quoted, behind) =
                    inside.split_once(first).ok_or_else(|| format!("the quote before `{inside}` has no end"))?;
                (Token::Quoted(quoted.to_owned()), behind)
            }
            _ => operator(rest).map_or_else(|| word(rest), Ok)?,
        };
        tokens.push(token);
        rest = behind.trim_start();
    }
    Ok(tokens)
}

fn operator(rest: &str) -> Option<(Token, &str)> {
    OPERATORS.iter().find_map(|(text, op)| Some((Token::Op(*op, text), rest.strip_prefix(text)?)))
}

fn word(rest: &str) -> Result<(Token, &str), String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '\'' | '<' | '>' | '=' | '!' | '~');
    let (word, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
    if word.is_empty() {
        return Err("`!` alone means nothing; write `not` or `!=`".to_owned());
    }
    Ok((Token::Word(word.to_owned()), behind))
}
