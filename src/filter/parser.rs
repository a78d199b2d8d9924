//! From the text of an expression to its tree.

use super::lexer::{Token, tokens};
use super::{Expr, Measure, Op, Operand, Resolve};
use crate::suggest;

/// How deep parentheses and `not` may stand in each other; nobody writes more, and the stack is finite.
const DEEPEST: usize = 64;

/// Reads an expression.
pub(super) fn parse<K>(text: &str, resolve: Resolve<K>) -> Result<Expr<K>, String> {
    let mut parser = Parser { tokens: tokens(text)?.into_iter().peekable(), resolve };
    if parser.tokens.peek().is_none() {
        return Err("the condition is empty; write one as in `memory.used < 1GiB`".to_owned());
    }
    let expr = parser.any(0)?;
    match parser.tokens.next() {
        None => Ok(expr),
        Some(token) => Err(unexpected(&token)),
    }
}

/// What stands where only `and`, `or` or the end could.
fn unexpected(token: &Token) -> String {
    let shown = token.shown();
    let advice = match token {
        Token::Close => "no parenthesis is open here".to_owned(),
        Token::Word(word) if word == "&&" => "write `and`".to_owned(),
        Token::Word(word) if word == "||" => "write `or`".to_owned(),
        Token::Word(word) => match suggest::nearest(word, ["and", "or"]) {
            Some(keyword) => format!("did you mean `{keyword}`?"),
            None => "text with spaces stands in quotes, conditions are joined by `and` or `or`".to_owned(),
        },
        _ => "conditions are joined by `and` or `or`".to_owned(),
    };
    format!("`{shown}` is not expected here; {advice}")
}

struct Parser<'a, K> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    resolve: Resolve<'a, K>,
}

impl<K> Parser<'_, K> {
    /// Conditions of which one must hold.
    fn any(&mut self, depth: usize) -> Result<Expr<K>, String> {
        let mut parts = vec![self.all(depth)?];
        while self.keyword("or") {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() > 1 { Expr::Any(parts) } else { parts.swap_remove(0) })
    }

    /// Conditions that must all hold.
    fn all(&mut self, depth: usize) -> Result<Expr<K>, String> {
        let mut parts = vec![self.one(depth)?];
        while self.keyword("and") {
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() > 1 { Expr::All(parts) } else { parts.swap_remove(0) })
    }

    fn one(&mut self, depth: usize) -> Result<Expr<K>, String> {
        if depth > DEEPEST {
            return Err("the condition is nested too deeply".to_owned());
        }
        if self.keyword("not") {
            return Ok(Expr::Not(Box::new(self.one(depth + 1)?)));
        }
        match self.tokens.next() {
            Some(Token::Open) => {
                let inner = self.any(depth + 1)?;
                match self.tokens.next() {
                    Some(Token::Close) => Ok(inner),
                    Some(token) => Err(unexpected(&token)),
                    None => Err("a parenthesis is not closed".to_owned()),
                }
            }
            Some(Token::Word(name)) => self.comparison(&name),
            Some(token) => Err(format!("a condition begins with a field, not with `{}`", token.shown())),
            None => Err("the condition ends where a field should follow".to_owned()),
        }
    }

    fn comparison(&mut self, name: &str) -> Result<Expr<K>, String> {
        let (key, measure) = (self.resolve)(name)?;
        let (op, spelt) = match self.tokens.next() {
            Some(Token::Op(op, spelt)) => (op, spelt),
            other => {
                let found = other.map_or("the end".to_owned(), |token| format!("`{}`", token.shown()));
                return Err(format!("behind `{name}` stands {found}; expected: <, <=, >, >=, =, !=, ~"));
            }
        };
        let operand = match self.tokens.next() {
            Some(Token::Quoted(text)) => Operand::Given { number: number(&text, measure), text },
            Some(token) if token.is("null") && matches!(op, Op::Equal | Op::Unequal) => Operand::Missing,
            Some(token) if token.is("null") => {
                return Err(format!("`null` goes with = and != only, not with `{spelt}`"));
            }
            Some(Token::Word(word)) => self.value(word, measure),
            _ => return Err(format!("a value is missing behind `{name} {spelt}`")),
        };
        check(name, measure, op, &operand)?;
        Ok(Expr::Test(key, op, operand))
    }

    /// A word that is a value; a unit that stands apart belongs to the number before it.
    fn value(&mut self, mut word: String, measure: Measure) -> Operand {
        let apart = |token: &Token| matches!(token, Token::Word(unit) if Measure::any(unit));
        if measure != Measure::Plain
            && parts(&word).is_some_and(|(_, unit)| unit.is_empty())
            && let Some(unit) = self.tokens.next_if(apart)
        {
            word.push_str(&unit.shown());
        }
        Operand::Given { number: number(&word, measure), text: word }
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        self.tokens.next_if(|token| token.is(keyword)).is_some()
    }
}

/// A number and what follows it.
fn parts(word: &str) -> Option<(f64, &str)> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let length = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, unit) = word.split_at(word.len() - digits.len() + length);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// The number in the field's unit that a word is.
fn number(word: &str, measure: Measure) -> Option<f64> {
    let (number, unit) = parts(word)?;
    if unit.is_empty() { Some(number) } else { measure.convert(number, unit) }
}

/// Refuses a value that a field with a unit cannot have.
fn check(name: &str, measure: Measure, op: Op, operand: &Operand) -> Result<(), String> {
    match operand {
        Operand::Given { text, number: None } if measure != Measure::Plain && op != Op::Contains => {
            let accepted = measure.accepted();
            Err(match parts(text) {
                Some((_, unit)) => format!("`{name}` cannot be compared in `{unit}`; accepted: {accepted}"),
                None => format!("`{name}` is a number, which `{text}` is not; units: {accepted}"),
            })
        }
        _ => Ok(()),
    }
}
